import { Deadlines } from './deadlines.ts'
import type { ClientConnection } from './sockets/socket.ts'

/** Connections without a namespace, or with missing attachments, which are closed after a time limit. An idle process has no timer. */
export type Unfinished<Data> = {
  add: (connection: ClientConnection<Data>) => void
  delete: (connection: ClientConnection<Data>) => void
  stop: () => void
}

export function watchUnfinished<Data>(timeoutMS: number): Unfinished<Data> {
  const waiting = new Deadlines<ClientConnection<Data>>()
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const sweep = () => {
    waiting.expire(performance.now(), closeUnfinished)
    if (waiting.size === 0) stop()
  }
  return {
    add(connection) {
      waiting.set(connection, performance.now() + timeoutMS)
      timer ??= setInterval(sweep, Math.min(1000, timeoutMS / 4)).unref()
    },
    delete: (connection) => waiting.delete(connection),
    stop,
  }
}

function closeUnfinished<Data>(connection: ClientConnection<Data>): void {
  const client = connection.session
  if (client === undefined || (!client.isEmpty && client.attachments === undefined)) return
  connection.close(client.isEmpty ? 'connect timeout' : 'attachments timeout')
}
