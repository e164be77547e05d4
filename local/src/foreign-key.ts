import type { IncomingMessage } from 'node:http'

/**
 * Whether a request with an API key has a foreign Origin or Host. The demo's key is public, so any website could use it from
 * the developer's browser, directly or under a host name that resolves to this machine (DNS rebinding).
 */
export function hasForeignKey({ headers }: IncomingMessage): boolean {
  if (!headers['im-api-key']) return false
  const { host, origin } = headers
  return (host !== undefined && !isHere(`http://${host}`)) || (origin !== undefined && !isHere(origin))
}

/** Whether a URL's host is this machine. `null`, the origin of sandboxed pages and files, is not. */
function isHere(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return /^(?:(?:[\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
