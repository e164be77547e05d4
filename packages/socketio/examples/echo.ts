/**
 * The echo server that the public Engine.IO and Socket.IO protocol test suites run against: Engine.IO alone on
 * /engine.io/, Socket.IO on /socket.io/. PORT, default 3000.
 */

import { App } from 'uWebSockets.js'
import { createEngine } from '@parley/socketio/engine'
import { createSocketServer } from '@parley/socketio/server'

const settings = {
  app: App(),
  pingIntervalMs: 300,
  pingTimeoutMs: 200,
  maxPayload: 1_000_000,
  cors: { origin: '*' as const },
}

createEngine({ ...settings, path: '/engine.io/', onMessage: (connection, message) => connection.send(message) })
createSocketServer({
  ...settings,
  path: '/socket.io/',
  connectTimeoutMs: 1000,
  initialData: () => undefined,
  onConnection: (socket) => socket.emit('auth', socket.handshake.auth),
  events: {
    message: (socket, args) => socket.emit('message-back', ...args),
    'message-with-ack': (_socket, args, ack) => ack?.(...args),
  },
  namespaces: { '/custom': { onConnection: (socket) => socket.emit('auth', socket.handshake.auth) } },
})

const port = Number(process.env['PORT'] ?? 3000)
settings.app.listen('127.0.0.1', port, (listening) => {
  if (!listening) throw new Error(`cannot listen on port ${port}`)
  console.log(`echo server on http://127.0.0.1:${port}`)
})
