/**
 * The servers that Parley's realtime node is compared with, by argv: `bare` (uWebSockets.js topics with the same bytes),
 * `package` (packages/socketio alone), `socket.io-uws` (socket.io on uWebSockets.js) or `socket.io` (on its default
 * engine). A connection joins the room in its query.
 */

import { createServer } from 'node:http'
import { createSocketServer } from '@parley/socketio/server'
import { App, us_socket_local_port } from '@parley/socketio/uws'
import { listenOnLoopback } from '@parley/stack/loopback'
import { Server } from 'socket.io'
import { eventName, type Publishing, payloadOf, publishAll } from './event.ts'

const heartbeatMS = 3_600_000

function listen(app: ReturnType<typeof App>): Promise<number> {
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => {
      if (socket) resolve(us_socket_local_port(socket))
      else reject(new Error('cannot listen'))
    })
  })
}

interface Started {
  port: number
  publish: (room: string, at: number) => void
}

async function startBare(): Promise<Started> {
  const app = App()
  app.ws<{ room: string }>('/*', {
    idleTimeout: 0,
    sendPingsAutomatically: false,
    maxBackpressure: 1_048_576,
    closeOnBackpressureLimit: true,
    upgrade: (res, req, context) => {
      const header = (name: string) => req.getHeader(`sec-websocket-${name}`)
      res.upgrade(
        { room: req.getQuery('room') ?? '' },
        header('key'),
        header('protocol'),
        header('extensions'),
        context,
      )
    },
    open: (ws) => void ws.subscribe(ws.getUserData().room),
    // Responds to the client's first packet, as the others do.
    message: (ws) => void ws.send('40{}', false),
  })
  const frame = (at: number) => Buffer.from(`42${JSON.stringify([eventName, payloadOf(at)])}`)
  return { port: await listen(app), publish: (room, at) => void app.publish(room, frame(at), false) }
}

async function startPackage(): Promise<Started> {
  const app = App()
  const server = createSocketServer({
    app,
    pingIntervalMS: heartbeatMS,
    initialData: (handshake) => ({ room: handshake.query.get('room') ?? '' }),
    onConnection: (socket) => socket.join(socket.data.room),
  })
  const json = (at: number) => Buffer.from(JSON.stringify(payloadOf(at)))
  return { port: await listen(app), publish: (room, at) => void server.publish(room, eventName, json(at)) }
}

async function startSocketIo(onUws: boolean): Promise<Started> {
  const io = new Server({ pingInterval: heartbeatMS, pingTimeout: heartbeatMS, serveClient: false })
  io.on('connection', (socket) => void socket.join(String(socket.handshake.query['room'])))
  const publish = (room: string, at: number) => void io.to(room).emit(eventName, payloadOf(at))
  if (onUws) {
    const app = App()
    io.attachApp(app)
    return { port: await listen(app), publish }
  }
  const server = createServer()
  io.attach(server)
  return { port: await listenOnLoopback(server), publish }
}

function startMode(mode: string | undefined): Promise<Started> {
  if (mode === 'bare') return startBare()
  if (mode === 'package') return startPackage()
  return startSocketIo(mode === 'socket.io-uws')
}

const { port, publish } = await startMode(process.argv[2])

process.on('message', (command: Publishing) => {
  void publishAll(command, publish).then(() => process.send?.('published'))
})
process.on('disconnect', () => process.exit())
process.send?.({ port })
