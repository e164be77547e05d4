import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

/**
 * A proxy on loopback, for tests that control the traffic between clients and a server.
 * @param onConnection gets both sockets, and must connect them
 * @param accepts returns false to close a connection at once
 */
export async function openTcpProxy(
  to: { host: string; port: number },
  onConnection: (client: Socket, upstream: Socket) => void,
  accepts: () => boolean = () => true,
) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (!accepts()) {
      client.destroy()
      return
    }
    const upstream = connect(to)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // An error is followed by `close`, which `onConnection` can handle.
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    onConnection(client, upstream)
  })
  const port = await listenOnLoopback(server)
  return {
    port,
    /** The sockets of clients and to the server. */
    sockets,
    /** Closes all connections, and accepts no further ones. */
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Closes each socket when the other one closes. */
export function closeTogether(client: Socket, upstream: Socket): void {
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
}
