import type { Logger } from './log.ts'

/**
 * Returns a function that warns once about an X-Forwarded-For header if no proxy is trusted: all clients behind a proxy
 * then share its address.
 * @param setting the variable for the number of proxies
 */
export function watchForProxies(log: Logger, trustedProxies: number, setting: string) {
  let isDone = trustedProxies > 0
  return (forwardedFor: string | readonly string[] | undefined, peer: string): void => {
    if (isDone || !forwardedFor || forwardedFor.length === 0) return
    isDone = true
    log.warn({ peer, setting }, 'X-Forwarded-For is ignored: all clients of a proxy share its address and its limits')
  }
}
