import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { eventually } from '@parley/stack/eventually'
import { listenOnLoopback } from '@parley/stack/loopback'
import { onTestFinished, test } from 'vitest'
import { connectBus } from './connect.ts'
import { checkStreams } from './stream/check-stream.ts'

const info = { server_id: 'limited', version: '2.12.0', proto: 1, headers: true, max_payload: 2 ** 20 }

/** A NATS server that sends INFO, and an answer to some commands. @returns its URL */
async function natsServer(also: object, onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.write(`INFO ${JSON.stringify({ ...info, ...also })}\r\n`)
    onSocket(socket)
  })
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `nats://127.0.0.1:${await listenOnLoopback(server)}`
}

const answer = (socket: Socket, command: string, line: string) =>
  socket.on('data', (data: Buffer) => data.includes(command) && socket.write(`${line}\r\n`))

test('a server whose messages are too small for Parley is refused with its limit and the required one', async () => {
  const url = await natsServer({ max_payload: 10_240 }, (socket) => answer(socket, 'PING', 'PONG'))
  await assert.rejects(
    connectBus(url, 'small', {}, { isService: true }),
    /^Error: the server's max_payload is 10240 bytes: Parley needs 1048576 or more$/,
  )
})

const full = "-ERR 'maximum connections exceeded'\r\n"

test('a service waits for a server at its limit of connections, and names the limit', async () => {
  const url = await natsServer({}, (socket) => socket.resume().end(full))
  const away: unknown[] = []
  const events = { onDisconnect: (error: unknown) => away.push(String(error)) }
  const bus = await connectBus(url, 'waits', events, { isService: true })
  onTestFinished(() => bus.close())
  const said = 'maximum connections exceeded: raise max_connections of NATS or its account'
  assert.deepEqual(away, [`ServerFull: ${said}`])
  await eventually('the cause is known to /readyz', () => bus.faults.fault?.message.endsWith(said) === true)
})

test('a service that started without NATS names what the server lacks once it is reached', async () => {
  let isFull = true
  const url = await natsServer({ version: '2.9.25' }, (socket) =>
    isFull ? socket.resume().end(full) : answer(socket, 'PING', 'PONG'),
  )
  const errors: string[] = []
  const bus = await connectBus(url, 'later', { onError: ({ message }) => errors.push(message) }, { isService: true })
  onTestFinished(() => bus.close())
  isFull = false
  const lacks = 'the server has version 2.9.25: Parley needs 2.10 or newer'
  await eventually('the cause is known to /readyz', () => bus.faults.fault?.message.endsWith(lacks) === true)
  assert.ok(errors.at(-1)?.endsWith(lacks), errors.join())
  assert.equal(bus.connected, false)
})

test('refused subscriptions fail the health check with the limit, and are reported once', async () => {
  const url = await natsServer({}, (socket) => {
    answer(socket, 'PING', 'PONG')
    answer(socket, 'SUB', "-ERR 'maximum subscriptions exceeded'")
  })
  const errors: string[] = []
  const bus = await connectBus(url, 'deaf', { onError: ({ message }) => errors.push(message) })
  onTestFinished(() => bus.close())
  for (const subject of ['one', 'two', 'three']) {
    bus.nats.subscribe(subject)
    await bus.nats.flush()
  }
  await assert.rejects(
    checkStreams(bus),
    /^Error: NATS refuses subscriptions: maximum subscriptions exceeded: raise max_subscriptions of NATS or its account, and restart this process$/,
  )
  assert.deepEqual(errors, ['maximum subscriptions exceeded'])
})
