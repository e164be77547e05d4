import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

const bytesOfV6Block = 8

/** An address in brackets or with a port, as some proxies write it into X-Forwarded-For. */
const withPort = /^(?:\[([\da-f:.]{1,45})\]|([\d.]{7,15}))(?::\d{1,5})?$/i

/**
 * The unit that limits count as one client: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to
 * one customer (RFC 6177). Bounded in length, and safe in a key. `unknown` for anything that is not an address.
 */
export function addressBlock(text: string): string {
  // Fast path: called several times per connection, mostly with IPv4 addresses.
  if (isIPv4(text)) return text
  const address = withoutPort(text)
  if (isIP(address) === 0) return 'unknown'
  // Node.js accepts zones that ipaddr.js rejects.
  const parsed = ipaddr.process(address.replace(/%.*$/, ''))
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const block = parsed.toByteArray().map((byte, i) => (i < bytesOfV6Block ? byte : 0))
  return `${ipaddr.fromByteArray(block).toString()}/64`
}

/** An address without the port that some proxies add to it. */
export function withoutPort(text: string): string {
  const [, v6, v4] = withPort.exec(text) ?? []
  return v6 ?? v4 ?? text
}
