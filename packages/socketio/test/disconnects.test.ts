import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setImmediate as immediate } from 'node:timers/promises'
import type { Socket } from '@parley/socketio/sockets/socket'
import { eventually } from '@parley/stack/eventually'
import { test } from 'vitest'
import { startNode } from './nodes.ts'
import { frame, stuckWebSocket } from './stuck-socket.ts'

test('the connection of a disconnected client is closed, whether it may reconnect or not', async () => {
  const node = await startNode()
  const { sockets } = node.server
  async function connect() {
    const tcp = await stuckWebSocket(node.url)
    const before = new Set(sockets.values())
    tcp.write(frame('40'))
    await eventually('the socket is connected', () => sockets.size > before.size)
    const [socket] = new Set(sockets.values()).difference(before)
    tcp.resume()
    return { tcp, socket: socket as Socket<unknown> }
  }
  const [away, back] = [await connect(), await connect()]
  away.socket.disconnect(true)
  await immediate()
  back.socket.closeTransport('come back')
  await once(back.tcp, 'end')
  await immediate()
  assert.ok(away.tcp.readableEnded)
  node.stop()
})
