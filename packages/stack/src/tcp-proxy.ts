import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy on loopback for tests, which control the traffic between its clients and a server. */
export interface TcpProxy {
  port: number
  /** Of the clients, and those to the server. */
  sockets: ReadonlySet<Socket>
  /** Breaks all connections; no other can be opened. */
  close(): Promise<void>
}

/**
 * @param onConnection gets both ends, between which nothing passes yet
 * @param accepts false closes a connection at once
 */
export async function openTcpProxy(
  to: { host: string; port: number },
  onConnection: (client: Socket, upstream: Socket) => void,
  accepts: () => boolean = () => true,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (!accepts()) {
      client.destroy()
      return
    }
    const upstream = connect(to)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // An error at one end closes it, which `onConnection` sees.
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    onConnection(client, upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Ends each when the other ends. */
export function closeTogether(client: Socket, upstream: Socket): void {
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
}
