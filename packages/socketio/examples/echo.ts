/**
 * The echo server that the public Engine.IO and Socket.IO protocol test suites run against: Engine.IO alone on
 * /engine.io/, Socket.IO on /socket.io/. PORT, default 3000.
 */

import { App, us_socket_local_port } from 'uWebSockets.js'
import { createEngine } from '@parley/socketio/engine'
import { createSocketServer } from '@parley/socketio/server'
import type { Socket } from '@parley/socketio/socket'

const settings = {
  app: App(),
  pingIntervalMs: 300,
  pingTimeoutMs: 200,
  maxPayload: 1_000_000,
  cors: { origin: '*' as const },
}

createEngine({ ...settings, path: '/engine.io/', onMessage: (connection, message) => connection.send(message) })
/** The suites listen for one message at a time, so what follows the CONNECT must not arrive in one piece with it. */
const greet = (socket: Socket<undefined>) => void setTimeout(() => socket.emit('auth', socket.handshake.auth), 10)

createSocketServer<undefined>({
  ...settings,
  path: '/socket.io/',
  connectTimeoutMs: 1000,
  initialData: () => undefined,
  onConnection: greet,
  events: {
    message: (socket, args) => socket.emit('message-back', ...args),
    'message-with-ack': (_socket, args, ack) => ack?.(...args),
  },
  namespaces: { '/custom': { onConnection: greet } },
})

const port = Number(process.env['PORT'] ?? 3000)
settings.app.listen('127.0.0.1', port, (listening) => {
  if (!listening) throw new Error(`cannot listen on port ${port}`)
  console.log(`http://127.0.0.1:${us_socket_local_port(listening)}`)
})
