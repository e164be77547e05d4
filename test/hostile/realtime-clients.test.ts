import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket as TcpSocket } from 'node:net'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { openConnections } from '../service-metrics.ts'

const attackers = 40
const maxPayload = 256 * 1024

describe('hostile clients of a realtime node', () => {
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

  function webSocket(onOpen: (socket: WebSocket) => void, onMessage: (socket: WebSocket) => void = () => undefined) {
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
    const closed = new Promise<void>((resolve) => {
      socket.addEventListener('close', () => resolve())
      socket.addEventListener('error', () => resolve())
    })
    socket.addEventListener('open', () => onOpen(socket))
    socket.addEventListener('message', () => onMessage(socket))
    return { socket, closed }
  }

  function tcp(bytes: string): { socket: TcpSocket; closed: Promise<void> } {
    const socket = connect(Number(node.ports['http']), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.write(bytes, 'latin1')
    socket.resume()
    return { socket, closed }
  }

  /** Sends a byte every half second, so that the connection is never silent. */
  function trickle(bytes: string, piece: string): Promise<void> {
    const { socket, closed } = tcp(bytes)
    const timer = setInterval(() => socket.write(piece, 'latin1'), 500)
    socket.on('close', () => clearInterval(timer))
    return closed
  }
  async function pollingUrl(): Promise<string> {
    const path = '/socket.io/?EIO=4&transport=polling'
    const opened = await (await fetch(node.url + path)).text()
    return `${path}&sid=${(JSON.parse(opened.slice(1)) as { sid: string }).sid}`
  }

  const upgrade =
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'

  const attacks: Record<string, () => Promise<void>> = {
    'oversized frames': () => webSocket((ws) => ws.send(`42["conf","${'x'.repeat(maxPayload)}"]`)).closed,
    'broken framing': () => {
      const { socket, closed } = tcp(upgrade)
      socket.once('data', () => socket.write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0])))
      return closed
    },
    'unknown packet types': () => webSocket((ws) => ws.send('9')).closed,
    'thousands of namespaces': () =>
      webSocket((ws) => {
        for (let i = 0; i < 2_000; i++) ws.send(`40/namespace-${i},`)
      }).closed,
    'auth2 storms': () =>
      webSocket((ws) => {
        ws.send('40')
        for (let i = 0; i < 900; i++) ws.send(`42${i}["auth2","no token ${i}",{}]`)
      }).closed,
    'trickling bodies to unknown paths': () =>
      trickle('PUT /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n', 'x'),
    'unknown sessions': async () => {
      const ids = ['.'.repeat(1400), `${'.'.repeat(1400)}abcdefghij-_ABCDEFGH`, 'ghost.abcdefghij-_ABCDEFGH']
      for (const sid of ids) {
        const answer = await fetch(`${node.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`)
        assert.equal(answer.status, 400)
      }
    },
  }
  /** Attacks that the node closes only after a timeout, so they run concurrently. */
  const silent: Record<string, () => Promise<void>> = {
    'missing attachments': () =>
      webSocket((ws) => {
        ws.send('40')
        ws.send('4510-["conf",{"_placeholder":true,"num":0}]')
      }).closed,
    'half-open upgrades': () => tcp(upgrade.slice(0, -4)).closed,
    'upgrades that trickle': () => trickle(upgrade.slice(0, -4), 'x'),
    'trickling heads behind a response': () =>
      trickle(`HEAD /socket.io/ HTTP/1.1\r\nHost: x\r\n\r\n${upgrade.slice(0, -4)}`, 'x'),
    'silent posts': async () =>
      tcp(`POST ${await pollingUrl()} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n4`).closed,
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
    'sockets that never authenticate': () => webSocket((ws) => ws.send('40')).closed,
  }

  for (const [name, attack] of Object.entries({ ...attacks, ...silent })) {
    const concurrent = name in silent
    test(`${name}: all are closed, and other clients are still served`, { concurrent }, async () => {
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
