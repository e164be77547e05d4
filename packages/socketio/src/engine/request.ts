import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { isIP } from 'node:net'

/** The client's address, as reported by trusted proxies. */
type ClientAddress = {
  /** The IP address as text. */
  address: string
  /** Undefined if unknown. */
  port: number | undefined
}

/** The request that opened a connection, for the admission hook and the connection. */
export type OpeningRequest = ClientAddress & {
  /** A bridge is a WebSocket for a session on another node. If it is refused, the client stays on polling. */
  transport: 'polling' | 'websocket' | 'bridge'
  /** The raw query string, without Engine.IO's parameters. */
  query: string
  /** A header of the request by its lower-case name, or ''. Valid only during the hook. */
  header: (name: string) => string
}

/** The stock client's names have eight characters. */
const longestPollName = 32

/** The raw query without Engine.IO's own parameters; connections without others share one empty string. */
export function ownQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => !/^(?:EIO|transport|sid|t|b64|j)(?:=|$)/.test(pair))
    .join('&')
}

/**
 * The client's unique name of a poll: Engine.IO's cache-busting parameter. Kept in memory, so its length is limited.
 */
export function pollName(req: HttpRequest): string | undefined {
  const name = req.getQuery('t')
  return name && name.length <= longestPollName ? name : undefined
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

/** The value of a header that can have several lines; `getHeader` returns only the first. */
function allOf(req: HttpRequest, wanted: string): string {
  const lines: string[] = []
  req.forEach((name, value) => {
    if (name === wanted) lines.push(value)
  })
  return lines.join(',')
}

/**
 * The client's address: the peer's, or with `trustedProxies` = n the n-th entry from the right of X-Forwarded-For (each
 * trusted proxy appends its peer, some with the port, and HAProxy in a line of its own; entries further left can be
 * forged). An entry that is not an address is ignored, since the address is logged and a key for limits. A proxy can
 * send the port in X-Real-Port.
 */
export function clientAddress(res: HttpResponse, req: HttpRequest, trustedProxies: number): ClientAddress {
  if (trustedProxies > 0) {
    const forwarded = allOf(req, 'x-forwarded-for').split(',')
    const entry = forwarded[Math.max(0, forwarded.length - trustedProxies)]?.trim() ?? ''
    const [, bracketed, portThere, plain, port] = /^(?:\[(.+)\](?::(\d+))?|([^:]+):(\d+))$/.exec(entry) ?? []
    const address = bracketed ?? plain ?? entry
    if (isIP(address) !== 0) return { address, port: toPort(portThere ?? port ?? req.getHeader('x-real-port')) }
  }
  return {
    address: readableAddress(Buffer.from(res.getRemoteAddressAsText()).toString()),
    port: toPort((res as WithPort).getRemotePort?.()),
  }
}

/** The newer version of uWebSockets.js reports the port of a peer (see uws.ts). */
type WithPort = HttpResponse & { getRemotePort?: () => number }

function toPort(given: string | number | undefined): number | undefined {
  const port = given === '' ? 0 : Number(given)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}
