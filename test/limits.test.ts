import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { io } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

suite('limits of a realtime node', { timeout: 60_000 }, () => {
  let platform: Platform
  let token: string
  const newNode = (limits: Record<string, number>) => {
    const env = Object.entries(limits).map(([name, value]) => [`PARLEY_REALTIME_${name}`, String(value)])
    return platform.start('realtime', Object.fromEntries(env))
  }
  before(async () => {
    platform = await startPlatform()
    const gateway = await platform.start('api-gateway')
    const user = { _id: 'alice', issueAccessToken: true }
    const made = await call(gateway.url, 'POST', '/admin/clients', { 'im-api-key': platform.apiKey }, user)
    token = String(made.body.result['token'])
  })
  after(() => platform.stop())

  /** A socket that is told why it is closed. */
  function refused(node: RunningService): Promise<{ error: unknown; reason: string }> {
    const socket = io(node.url, { transports: ['websocket'], reconnection: false, forceNew: true })
    return new Promise((resolve) => {
      let error: unknown
      socket.on('error', (told: unknown) => {
        error = told
      })
      socket.on('disconnect', (reason) => resolve({ error, reason }))
    })
  }
  async function metric(node: RunningService, name: string): Promise<number> {
    const metrics = await (await fetch(`http://127.0.0.1:${node.ports['internal']}/metrics`)).text()
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(metrics)?.[1] ?? 0)
  }
  const counted = (node: RunningService, limit: string) =>
    metric(node, `parley_socket_refusals_total\\{.*limit="${limit}".*\\}`)
  const isTooMany = { RC: 429, error: { code: 'TOO_MANY_REQUESTS' } }

  test('connections per address: the next one is told so and closed so that it may come back; it counts in the metrics', async () => {
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

  test('connections per user: auth2 is refused, the socket stays for another try', async () => {
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

  test('admissions per second: a storm is let in one after the other, and everybody comes in', async () => {
    const node = await newNode({ ADMISSIONS_PER_SECOND: 20 })
    const sockets = Array.from({ length: 30 }, () => io(node.url, { transports: ['websocket'], forceNew: true }))
    const inTurn: number[] = []
    const answers = sockets.map(async (socket, i) => {
      const answer = (await socket.emitWithAck('auth2', token, { deviceId: `${i}` })) as { RC: number }
      inTurn.push(i)
      return answer.RC
    })
    await eventually('some wait', async () => (await metric(node, 'parley_admissions_waiting')) > 0)
    assert.ok(inTurn.length < 30, 'who waits is not in')
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([0]))
    assert.equal(await metric(node, 'parley_admissions_waiting'), 0)
    for (const socket of sockets) socket.close()
  })

  test('who would wait too long for his turn is told to try again, before he has a connection', async () => {
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

  test('events per second: refused with the envelope, and closed at ten times as many', async () => {
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
})
