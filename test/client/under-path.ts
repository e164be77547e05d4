import { createServer, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { listenOnLoopback } from '@parley/stack/loopback'
import { onTestFinished } from 'vitest'

/** Starts a proxy that serves Parley under a path and strips it, until the test ends; returns the base URL. */
export async function underPath(path: string, { front: { port } }: { front: { port: number } }): Promise<string> {
  const sockets = new Set<Socket>()
  const forward = ({ method, url = '', headers }: IncomingMessage) => {
    const isOurs = url.startsWith(`${path}/`)
    return request({ port, host: '127.0.0.1', method, headers, path: isOurs ? url.slice(path.length) : '/not-ours' })
  }
  const server = createServer((received, answer) => {
    const forwarded = forward(received).on('error', () => answer.destroy())
    forwarded.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    received.pipe(forwarded)
  })
  server.on('upgrade', (received, socket, head) => {
    const forwarded = forward(received).on('error', () => socket.destroy())
    forwarded.on('response', () => socket.destroy())
    forwarded.on('upgrade', ({ rawHeaders }, to, first) => {
      const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []))
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      socket.write(first)
      to.write(head)
      to.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      socket.on('error', () => to.destroy()).on('close', () => to.destroy())
      to.pipe(socket).pipe(to)
    })
    forwarded.end()
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const ownPort = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${ownPort}${path}`
}
