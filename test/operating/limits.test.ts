import assert from 'node:assert/strict'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { logged } from '../log-line.ts'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

describe('limits of a realtime node', () => {
  let platform: Platform
  let token: string
  const newNode = (limits: Record<string, number>) => {
    const env = Object.entries(limits).map(([name, value]) => [`PARLEY_REALTIME_${name}`, String(value)])
    return platform.start('realtime', Object.fromEntries(env))
  }
  beforeAll(async () => {
    platform = await startPlatform()
    const gateway = await platform.start('api-gateway')
    const user = { _id: 'alice', issueAccessToken: true }
    const made = await call(gateway.url, 'POST', '/admin/clients', { 'im-api-key': platform.apiKey }, user)
    token = String(made.body.result['token'])
  })
  afterAll(() => platform.stop())

  /** Connects a socket; returns its error event and the reason of its close. */
  function refused(node: RunningService): Promise<{ error: unknown; reason: string }> {
    const socket = io(node.url, { transports: ['websocket'], reconnection: false, forceNew: true })
    return new Promise((resolve) => {
      let error: unknown
      socket.on('error', (reported: unknown) => {
        error = reported
      })
      socket.on('disconnect', (reason) => resolve({ error, reason }))
    })
  }
  async function metric(node: RunningService, name: string): Promise<number> {
    const metrics = await metricsOf(node)
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(metrics)?.[1] ?? 0)
  }
  const counted = (node: RunningService, limit: string) =>
    metric(node, `parley_socket_refusals_total\\{.*limit="${limit}".*\\}`)
  const isTooMany = { RC: 429, error: { code: 'TOO_MANY_REQUESTS' } }

  test('connections per address: an excess one gets an error, is closed with a reconnectable reason, and is counted in the metrics', async () => {
    const node = await newNode({ CONNECTIONS_PER_ADDRESS: 3 })
    const sockets = await Promise.all([1, 2, 3].map(() => connectClient(node.url, token)))
    const { error, reason } = await refused(node)
    assert.partialDeepStrictEqual(error, isTooMany)
    assert.equal(reason, 'transport close')
    assert.equal(await counted(node, 'connections_per_address'), 1)
    sockets[0]?.close()
    await eventually('a place is free', async () => {
      const next = await connectClient(node.url, token).catch(() => undefined)
      next?.close()
      return next
    })
    for (const socket of sockets) socket.close()
  })

  /** Opens a WebSocket transport without ever connecting a socket. */
  function transport(node: RunningService): { opened: Promise<unknown>; closed: Promise<unknown>; close: () => void } {
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
    const event = (name: string) => new Promise((resolve) => socket.addEventListener(name, resolve, { once: true }))
    return { opened: event('open'), closed: event('close'), close: () => socket.close() }
  }
  const connections = (node: RunningService, kind: string) =>
    metric(node, `parley_connections\\{.*transport="${kind}".*\\}`)

  test('connections per address count even without a connected socket, and excess ones are closed', async () => {
    const node = await newNode({ CONNECTIONS_PER_ADDRESS: 3 })
    const silent = [1, 2, 3].map(() => transport(node))
    await Promise.all(silent.map(({ opened }) => opened))
    const { error, reason } = await refused(node)
    assert.partialDeepStrictEqual(error, isTooMany)
    assert.equal(reason, 'transport close')

    const polling = await fetch(`${node.url}/socket.io/?EIO=4&transport=polling`)
    const { sid } = JSON.parse((await polling.text()).slice(1)) as { sid: string }
    const tooMany = transport(node)
    await tooMany.closed
    const poll = await (await fetch(`${node.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`)).text()
    assert.match(poll, /^1$|Session ID unknown/)
    assert.equal(await connections(node, 'websocket'), 3)
    assert.equal(await counted(node, 'connections_per_address'), 3)

    silent[0]?.close()
    await eventually('a place is free', async () => {
      const next = await connectClient(node.url, token).catch(() => undefined)
      next?.close()
      return next
    })
    for (const { close } of silent) close()
  })

  test('far too many connections of an address are refused before the handshake', async () => {
    const node = await newNode({ CONNECTIONS_PER_ADDRESS: 1 })
    const silent = Array.from({ length: 60 }, () => transport(node))
    const refusal = await eventually('a refusal', async () => {
      const answer = await fetch(`${node.url}/socket.io/?EIO=4&transport=polling`)
      return answer.status === 429 ? answer : undefined
    })
    assert.equal(refusal.headers.get('retry-after'), '5')
    assert.partialDeepStrictEqual(await refusal.json(), { message: 'too many connections from this address' })
    await eventually('one is left', async () => (await connections(node, 'websocket')) === 1)
    for (const { close } of silent) close()
  })

  test('a WebSocket for a session of another node counts for its address', async () => {
    const [holder, node] = [await newNode({}), await newNode({ CONNECTIONS_PER_ADDRESS: 1 })]
    const session = async () => {
      const text = await (await fetch(`${holder.url}/socket.io/?EIO=4&transport=polling`)).text()
      return (JSON.parse(text.slice(1)) as { sid: string }).sid
    }
    const bridge = async () =>
      new WebSocket(`${node.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket&sid=${await session()}`)
    /** An upgrade on a busy machine can exceed its time limit. */
    async function upgraded(): Promise<WebSocket | undefined> {
      const socket = await bridge()
      const event = (name: string) => new Promise((resolve) => socket.addEventListener(name, resolve, { once: true }))
      socket.addEventListener('open', () => socket.send('2probe'))
      const isProbed = await Promise.race([event('message').then(() => true), event('close').then(() => false)])
      if (isProbed) socket.send('5')
      return isProbed ? socket : undefined
    }
    const first = await eventually('a bridge', upgraded)
    assert.equal(await connections(node, 'bridge'), 1)
    const second = await bridge()
    await new Promise((resolve) => second.addEventListener('error', resolve, { once: true }))
    assert.ok((await counted(node, 'connections_per_address')) >= 1)
    first.close()
    await eventually('it is gone', async () => (await connections(node, 'bridge')) === 0)
  })

  test('a client that keeps connecting and disconnecting its socket without authenticating is closed at the timeout', async () => {
    const node = await newNode({ AUTHENTICATE_WITHIN_MS: 3000 })
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
    let connected = 0
    socket.addEventListener('message', ({ data }: { data: string }) => {
      if (data.startsWith('0')) socket.send('40')
      else if (data.startsWith('40')) {
        connected++
        socket.send('41')
        // Below the rate limit of packets.
        setTimeout(() => socket.send('40'), 10)
      }
    })
    const { reason } = await new Promise<{ reason: string }>((resolve) => socket.addEventListener('close', resolve))
    assert.equal(reason, 'not authenticated in time')
    assert.ok(connected > 5, `${connected} times`)
  })

  test('a client that disconnects an authenticated socket gets a new timeout to authenticate', async () => {
    const node = await newNode({ AUTHENTICATE_WITHIN_MS: 1000 })
    const client = io(node.url, { transports: ['websocket'], reconnection: false, forceNew: true })
    const answer: { RC: number } = await client.emitWithAck('auth2', token, {})
    assert.equal(answer.RC, 0)
    const { engine } = client.io
    const closed = new Promise((resolve) => engine.once('close', resolve))
    // The stock client would close the connection with its last socket.
    engine.write('41')
    await closed
    assert.equal(await connections(node, 'websocket'), 0)
  })

  test('connections per user: auth2 is refused, and the socket can retry', async () => {
    const node = await newNode({ CONNECTIONS_PER_USER: 2 })
    const sockets = await Promise.all([1, 2].map(() => connectClient(node.url, token)))
    const third = io(node.url, { transports: ['websocket'], reconnection: false, forceNew: true })
    const auth2 = (): Promise<{ RC: number }> => third.emitWithAck('auth2', token, {})
    assert.partialDeepStrictEqual(await auth2(), isTooMany)
    assert.equal(await counted(node, 'connections_per_user'), 1)
    sockets[0]?.close()
    await eventually('a place is free', async () => (await auth2()).RC === 0)
    for (const socket of [...sockets, third]) socket.close()
  })

  test('admissions per second: a storm is queued, and every client is admitted eventually', async () => {
    const node = await newNode({ ADMISSIONS_PER_SECOND: 20 })
    const sockets = Array.from({ length: 30 }, () => io(node.url, { transports: ['websocket'], forceNew: true }))
    const answers = sockets.map(async (socket, i) => {
      const answer = (await socket.emitWithAck('auth2', token, { deviceId: `${i}` })) as { RC: number }
      return answer.RC
    })
    await eventually('some wait', async () => (await metric(node, 'parley_admissions_waiting')) > 0)
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([0]))
    assert.equal(await metric(node, 'parley_admissions_waiting'), 0)
    for (const socket of sockets) socket.close()
  })

  test('a client gets 503 before the handshake if the queue is too long', async () => {
    const node = await newNode({ ADMISSIONS_PER_SECOND: 1 })
    const waiting = Array.from({ length: 20 }, () => io(node.url, { transports: ['websocket'], forceNew: true }))
    for (const socket of waiting) socket.emit('auth2', token, {})
    const refusal = await eventually('a refusal', async () => {
      const answer = await fetch(`${node.url}/socket.io/?EIO=4&transport=polling`)
      return answer.status === 503 ? answer : undefined
    })
    assert.equal(refusal.headers.get('retry-after'), '1')
    assert.partialDeepStrictEqual(await refusal.json(), { message: 'too many connect at once: try again soon' })
    assert.ok((await counted(node, 'admissions')) > 0)
    for (const socket of waiting) socket.close()
  })

  test('a full node returns 503, and serves the next client once one has left', async () => {
    const node = await newNode({ CONNECTIONS: 2 })
    const sockets = await Promise.all([1, 2].map(() => connectClient(node.url, token)))
    const open = () => fetch(`${node.url}/socket.io/?EIO=4&transport=polling`)
    const refusal = await open()
    assert.equal(refusal.status, 503)
    assert.equal(refusal.headers.get('retry-after'), '1')
    assert.partialDeepStrictEqual(await refusal.json(), { message: 'this node is full: try again' })
    assert.equal(await counted(node, 'connections'), 1)
    await logged(node, /"connections":2,"max":2,"msg":"node full/)
    sockets[0]?.close()
    await eventually('a place is free', async () => (await open()).status === 200)
    sockets[1]?.close()
  })

  test('events per second: refused with the error envelope, and closed at ten times the rate', async () => {
    const node = await newNode({ EVENTS_PER_SECOND: 5 })
    const socket = await connectClient(node.url, token)
    const acks: { RC: number }[] = await Promise.all(Array.from({ length: 12 }, () => socket.emitWithAck('conf', {})))
    assert.ok(acks.some(({ RC }) => RC === 0))
    assert.partialDeepStrictEqual(
      acks.find(({ RC }) => RC !== 0),
      isTooMany,
    )
    const ended = new Promise((resolve) => socket.once('disconnect', resolve))
    for (let i = 0; i < 200; i++) socket.emit('conf', {})
    assert.equal(await ended, 'transport close')
    assert.ok((await counted(node, 'events')) > 0)
  })

  test('garbage from one address does not delay the logins of others', async () => {
    // A low rate, so that the garbage still queues for seconds when the valid login arrives.
    const node = await newNode({ ADMISSIONS_PER_SECOND: 5, TRUSTED_PROXIES: 1, FAILED_LOGINS_PER_ADDRESS: 0 })
    const from = (address: string) => {
      const extraHeaders = { 'x-forwarded-for': address }
      return io(node.url, { transports: ['websocket'], forceNew: true, reconnection: false, extraHeaders })
    }
    const attackers = Array.from({ length: 70 }, () => from('192.0.2.1'))
    let answered = 0
    for (const socket of attackers) {
      socket.once('connect', () => socket.emit('auth2', 'garbage', () => answered++))
    }
    await eventually('most of it waits', async () => (await metric(node, 'parley_admissions_waiting')) > 40)
    const alice = from('192.0.2.2')
    assert.equal(((await alice.emitWithAck('auth2', token)) as { RC: number }).RC, 0)
    assert.ok(answered < attackers.length, 'all garbage was admitted first')
    for (const socket of [alice, ...attackers]) socket.close()
  })
})
