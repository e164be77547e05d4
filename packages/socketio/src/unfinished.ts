import { Deadlines } from './deadlines.ts'
import type { ClientConnection } from './sockets/socket.ts'

/** Connections without a namespace, or with missing attachments, which are closed after a time limit. */
export type Unfinished<Data> = {
  add: (connection: ClientConnection<Data>) => void
  delete: (connection: ClientConnection<Data>) => void
  stop: () => void
}

export function watchUnfinished<Data>(timeoutMS: number): Unfinished<Data> {
  const waiting = new Deadlines<ClientConnection<Data>>()
  const sweep = setInterval(() => waiting.expire(performance.now(), closeUnfinished), Math.min(1000, timeoutMS / 4))
  sweep.unref()
  return {
    add: (connection) => waiting.set(connection, performance.now() + timeoutMS),
    delete: (connection) => waiting.delete(connection),
    stop: () => clearInterval(sweep),
  }
}

function closeUnfinished<Data>(connection: ClientConnection<Data>): void {
  const client = connection.session
  if (client === undefined || (!client.isEmpty && client.attachments === undefined)) return
  connection.close(client.isEmpty ? 'connect timeout' : 'attachments timeout')
}
