import type { IncomingMessage } from 'node:http'

export function isForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

const ofUpgrade = new Set(['upgrade', 'http2-settings'])

/**
 * Serializes a request without its Upgrade header, which a server may ignore (RFC 9110, 7.8). Java's HttpClient and
 * curl --http2 offer HTTP/2 with their first request.
 */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    if (ofUpgrade.has(name.toLowerCase())) continue
    const isConnection = name.toLowerCase() === 'connection'
    const kept = (token: string) => !ofUpgrade.has(token.trim().toLowerCase())
    lines.push(`${name}: ${isConnection ? value.split(',').filter(kept).join(',') : value}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head])
}
