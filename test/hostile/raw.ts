import { connect } from 'node:net'
import type { RunningService } from '../platform.ts'

/** The bytes received on a TCP connection until the server closed it or `until` matched. */
export interface RawAnswer {
  text: string
  closed: boolean
}

/** Writes raw bytes, for requests that no HTTP client sends, and reads the response. */
export function raw(service: RunningService, bytes: string | Buffer, until?: RegExp): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(Number(service.ports['http']), '127.0.0.1')
    let text = ''
    const end = (closed: boolean) => {
      socket.destroy()
      resolve({ text, closed })
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (until?.test(text)) end(false)
    })
    socket.on('error', () => end(true))
    socket.on('close', () => end(true))
    socket.write(bytes)
  })
}

/** The headers of an Engine.IO WebSocket upgrade. */
export function upgradeRequest(query = 'EIO=4&transport=websocket'): string {
  return (
    `GET /socket.io/?${query} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
  )
}

/** Opens an Engine.IO WebSocket; resolves when the server has closed it. */
export function untilClosed(service: RunningService, onOpen: (socket: WebSocket) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
    socket.addEventListener('close', () => resolve())
    socket.addEventListener('error', () => resolve())
    socket.addEventListener('open', () => onOpen(socket))
  })
}
