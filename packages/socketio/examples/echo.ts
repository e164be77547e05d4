/**
 * The echo server for the public Engine.IO and Socket.IO protocol test suites: Engine.IO on /engine.io/, Socket.IO on
 * /socket.io/. PORT is 3000 by default; PING_INTERVAL_MS, PING_TIMEOUT_MS and CONNECT_TIMEOUT_MS are as the suites
 * expect.
 */

import { createEngine } from '@parley/socketio/engine/engine'
import { createSocketServer } from '@parley/socketio/server'
import type { Socket } from '@parley/socketio/sockets/socket'
import { App, us_socket_local_port } from '@parley/socketio/uws'

const { PORT = '3000', PING_INTERVAL_MS = '300', PING_TIMEOUT_MS = '200', CONNECT_TIMEOUT_MS = '1000' } = process.env
const settings = {
  app: App(),
  pingIntervalMS: Number(PING_INTERVAL_MS),
  pingTimeoutMS: Number(PING_TIMEOUT_MS),
  maxPayload: 1_000_000,
  cors: { origin: '*' as const },
}

createEngine({ ...settings, path: '/engine.io/', onMessage: (connection, message) => connection.send(message) })
/** Delayed: the suites wait for one message at a time, so this one must not arrive together with the CONNECT. */
const greet = (socket: Socket<undefined>) => void setTimeout(() => socket.emit('auth', socket.handshake.auth), 10)

createSocketServer<undefined>({
  ...settings,
  path: '/socket.io/',
  connectTimeoutMS: Number(CONNECT_TIMEOUT_MS),
  initialData: () => undefined,
  onConnection: greet,
  events: {
    message: (socket, args) => socket.emit('message-back', ...args),
    'message-with-ack': (_socket, args, ack) => ack?.(...args),
  },
  namespaces: { '/custom': { onConnection: greet } },
})

settings.app.listen('127.0.0.1', Number(PORT), (listening) => {
  if (!listening) throw new Error(`cannot listen on port ${PORT}`)
  console.log(`http://127.0.0.1:${us_socket_local_port(listening)}`)
})
