/**
 * The measured process. argv: `bare` (uWebSockets.js alone: one topic, the same bytes) or `socketio`, and how many
 * sockets will come. Commands come over IPC; CPU is this process's own, user and system.
 */

import { App, us_socket_local_port } from 'uWebSockets.js'
import { createSocketServer } from '@parley/socketio/server'

export type Command = { kind: 'memory' } | { kind: 'publish'; events: number; burst: number; pauseMs: number }

const PAYLOAD = Buffer.from(JSON.stringify({ text: 'x'.repeat(300) }))
const FRAME = Buffer.concat([Buffer.from('42["chat message",'), PAYLOAD, Buffer.from(']')])
const SHOWN_BYTES = FRAME.length + 4

const app = App()
const publish = process.argv[2] === 'bare' ? bare() : socketio()

function bare(): () => void {
  app.ws('/*', {
    idleTimeout: 0,
    sendPingsAutomatically: false,
    maxBackpressure: 1_048_576,
    closeOnBackpressureLimit: true,
    open: (ws) => void ws.subscribe('room'),
  })
  return () => void app.publish('room', FRAME, false)
}

function socketio(): () => void {
  const server = createSocketServer({
    app,
    pingIntervalMs: 3_600_000,
    initialData: () => ({}),
    onConnection: (socket) => socket.join('room'),
  })
  return () => void server.publish('room', 'chat message', PAYLOAD)
}

async function run({ events, burst, pauseMs }: Extract<Command, { kind: 'publish' }>): Promise<void> {
  const before = process.cpuUsage()
  for (let sent = 0; sent < events; sent += burst) {
    for (let index = 0; index < burst; index++) publish()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  const { user, system } = process.cpuUsage(before)
  process.send?.({ cpuMicros: user + system, bytesPerEvent: SHOWN_BYTES })
}

process.on('message', (command: Command) => {
  if (command.kind === 'publish') void run(command)
  else {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.({ rssBytes: process.memoryUsage.rss(), cpuMicros: user + system })
  }
})
process.on('disconnect', () => process.exit())
app.listen('127.0.0.1', 0, (listening) => {
  if (!listening) throw new Error('cannot listen')
  process.send?.({ port: us_socket_local_port(listening) })
})
