import type { HttpRequest, HttpResponse } from 'uWebSockets.js'

/** What an admission hook and a connection see of the request that opened it. */
export type OpeningRequest = {
  transport: 'polling' | 'websocket'
  /** The client's IP address as text; behind trusted proxies the one they report. */
  address: string
  /** The raw query string, without the parameters of Engine.IO. */
  query: string
  /** A header of the request by its lower-case name, or ''. Valid only while the hook runs. */
  header: (name: string) => string
}

/** The raw query less Engine.IO's own parameters, so that connections without more share one empty string. */
export function ownQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => !/^(?:EIO|transport|sid|t|b64|j)(?:=|$)/.test(pair))
    .join('&')
}

/** An IPv4-mapped IPv6 address in its IPv4 form, other addresses as uWebSockets.js writes them. */
function readableAddress(text: string): string {
  const mapped = /^0000:0000:0000:0000:0000:ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/.exec(text)
  return mapped
    ? mapped
        .slice(1)
        .map((byte) => Number.parseInt(byte, 16))
        .join('.')
    : text
}

/**
 * The client's address: the peer's, or with `trustedProxies` = n the n-th entry from the right of X-Forwarded-For
 * (each trusted proxy appends the peer it saw; anything further left may be forged).
 */
export function clientAddress(res: HttpResponse, req: HttpRequest, trustedProxies: number): string {
  if (trustedProxies > 0) {
    const forwarded = req.getHeader('x-forwarded-for').split(',')
    const entry = forwarded[Math.max(0, forwarded.length - trustedProxies)]?.trim()
    if (entry) return entry
  }
  return readableAddress(Buffer.from(res.getRemoteAddressAsText()).toString())
}
