import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A TCP connection that sends an upgrade request, and stops reading after the head of the response. */
export async function stuckWebSocket(url: string, path = '/socket.io/?EIO=4&transport=websocket'): Promise<Socket> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

/** A masked WebSocket frame (RFC 6455, section 5.2) of at most 125 bytes, mask 0. */
export function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}
