import type { Logger } from './log.ts'

/**
 * Makes the function that looks at X-Forwarded-For while no proxy is trusted, and warns of the first: if a proxy sent it,
 * all clients behind that proxy have its address.
 * @param setting the variable that names the number of proxies
 */
export function watchForProxies(log: Logger, trustedProxies: number, setting: string) {
  let isDone = trustedProxies > 0
  return (forwardedFor: string | readonly string[] | undefined, peer: string): void => {
    if (isDone || !forwardedFor || forwardedFor.length === 0) return
    isDone = true
    log.warn({ peer, setting }, 'X-Forwarded-For is ignored: all clients of a proxy share its address and its limits')
  }
}
