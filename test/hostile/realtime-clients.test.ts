import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { openConnections } from '../service-metrics.ts'

const attackers = 40

describe('trickling clients of a realtime node', () => {
  let platform: Platform
  let node: RunningService
  let witness: Socket
  const heard = new Set<unknown>()
  let rssBefore: number

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    node = await platform.start('realtime', { PARLEY_REALTIME_AUTHENTICATE_WITHIN_MS: '4000' })
    const { token } = await platform.admin('POST', '/admin/clients', { _id: 'alice', issueAccessToken: true })
    await platform.admin('POST', '/rooms/', { _id: 'room', roomType: 'group', members: ['alice'] })
    witness = await connectClient(node.url, String(token))
    witness.on('chat message', ({ message }: { message: unknown }) => heard.add(message))
    await peaceful()
    rssBefore = rssMiB()
  })
  afterAll(async () => {
    witness?.close()
    await platform.stop()
  })

  const rssMiB = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, 'utf8'))?.[1]) / 1024

  /** Asserts that a well-behaved client is served: messages arrive, and an emit is acknowledged. */
  async function peaceful(): Promise<void> {
    const messages = Array.from({ length: 20 }, () => randomUUID())
    for (const message of messages) {
      await platform.admin('POST', '/messages', { room: 'room', sender: 'alice', message, messageType: 'text' })
    }
    await eventually('the witness hears everything', () => messages.every((message) => heard.has(message)))
    const ack = (await witness.emitWithAck('typing', { room: 'room', message: 'x' })) as { RC: number }
    assert.equal(ack.RC, 0)
  }

  /** Sends a byte every half second, so that the connection is never silent. Resolves when the node has closed it. */
  function trickle(bytes: string, piece: string): Promise<void> {
    const socket = connect(Number(node.ports['http']), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    socket.write(bytes, 'latin1')
    socket.resume()
    const timer = setInterval(() => socket.write(piece, 'latin1'), 500)
    return new Promise((resolve) => {
      socket.on('close', () => {
        clearInterval(timer)
        resolve()
      })
    })
  }
  async function pollingUrl(): Promise<string> {
    const path = '/socket.io/?EIO=4&transport=polling'
    const opened = await (await fetch(node.url + path)).text()
    return `${path}&sid=${(JSON.parse(opened.slice(1)) as { sid: string }).sid}`
  }

  const upgrade =
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'

  /** Closed only after a timeout, so they run concurrently. Other attacks are in sockets.ts. */
  const attacks: Record<string, () => Promise<void>> = {
    'trickling bodies to unknown paths': () =>
      trickle('PUT /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n', 'x'),
    'upgrades that trickle': () => trickle(upgrade.slice(0, -4), 'x'),
    'trickling heads behind a response': () =>
      trickle(`HEAD /socket.io/ HTTP/1.1\r\nHost: x\r\n\r\n${upgrade.slice(0, -4)}`, 'x'),
    'trickling posts': async () =>
      trickle(`POST ${await pollingUrl()} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n`, 'x'),
    'trickling chunked posts': async () =>
      trickle(`POST ${await pollingUrl()} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
    'probes that never upgrade': async () => {
      const target = (await pollingUrl()).replace('transport=polling', 'transport=websocket')
      const head = upgrade.replace('/socket.io/?EIO=4&transport=websocket', target)
      // WebSocket pings, which are answered below Engine.IO.
      await trickle(head, Buffer.from([0x89, 0x80, 0, 0, 0, 0]).toString('latin1'))
    },
  }

  for (const [name, attack] of Object.entries(attacks)) {
    test.concurrent(`${name}: all are closed, and other clients are still served`, async () => {
      const over = Promise.all(Array.from({ length: attackers }, attack))
      await peaceful()
      await over
      await eventually('only the witness is left', async () => (await openConnections(node)) === 1)
      await peaceful()
    })
  }

  test('none of them leaks memory', async () => {
    // The memory of one wave of all attacks. A leak in one attack would exceed it many times.
    const allowedMiB = 150
    assert.ok(rssMiB() - rssBefore < allowedMiB, `${rssBefore.toFixed(0)} MiB before, ${rssMiB().toFixed(0)} after`)
    assert.equal(witness.connected, true)
  })
})
