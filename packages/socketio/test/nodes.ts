import { createSocketServer, type SocketServer } from '@parley/socketio/server'
import type { SocketServerOptions } from '@parley/socketio/server-options'
import { App, us_listen_socket_close, us_socket_local_port } from '@parley/socketio/uws'
import { type Socket as Client, io } from 'socket.io-client'

export type Node<Data = unknown> = { server: SocketServer<Data>; url: string; stop: () => void }

/** A server on a free port of loopback. */
export async function startNode(options: Partial<SocketServerOptions<unknown>> = {}): Promise<Node> {
  const app = App()
  const server = createSocketServer({ initialData: () => ({}), ...options, app })
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (listening) => {
      if (!listening) return reject(new Error('cannot listen'))
      resolve({
        server,
        url: `http://127.0.0.1:${us_socket_local_port(listening)}`,
        stop: () => {
          us_listen_socket_close(listening)
          server.close('stopped')
          app.close()
        },
      })
      return undefined
    })
  })
}

/** Connects the stock client with the given transports, and waits for the upgrade if there are two. */
export async function stockClient(url: string, transports: ('polling' | 'websocket')[], options = {}): Promise<Client> {
  const client = io(url, { transports, forceNew: true, ...options })
  await heard(client, 'connect')
  if (transports.length > 1 && client.io.engine.transport.name !== transports[1]) {
    await new Promise((resolve) => client.io.engine.once('upgrade', resolve))
  }
  return client
}

/** The arguments of the next event with this name. */
export function heard(client: Client, event: string): Promise<unknown[]> {
  return new Promise((resolve) => client.once(event, (...args: unknown[]) => resolve(args)))
}
