import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import type { Socket } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

interface Seen {
  _id: string
  seq: number
}

suite('an acknowledged message survives kill -9', { timeout: 180_000 }, () => {
  let platform: Platform
  let gateways: RunningService[]
  let realtime: RunningService
  let token: string
  let socket: Socket
  let room: string
  const received = new Map<string, number>()
  let sending = { on: false }
  const admin = () => ({ 'im-api-key': platform.apiKey })
  const client = () => ({ 'im-client-key': platform.clientKey, 'im-authorization': token })

  before(async () => {
    platform = await startPlatform()
    gateways = await Promise.all([platform.start('api-gateway'), platform.start('api-gateway')])
    realtime = await platform.start('realtime')
    const { url } = gateway()
    for (const _id of ['alice', 'bob']) {
      const { body } = await call(url, 'POST', '/admin/clients', admin(), { _id, issueAccessToken: true })
      token = String(body.result['token'])
    }
    const made = await call(url, 'POST', '/rooms/', admin(), { roomType: 'group', members: ['alice', 'bob'] })
    room = String(made.body.result['_id'])
    await listen()
  })
  // A test that failed must not leave its senders at work.
  afterEach(() => {
    sending.on = false
  })
  after(() => platform.stop())

  const gateway = () => gateways[0] as RunningService

  async function listen(): Promise<void> {
    socket = await connectClient(realtime.url, token)
    socket.on('chat message', ({ _id }: Seen) => received.set(_id, (received.get(_id) ?? 0) + 1))
  }

  /** Sends as fast as it can over all gateways until told to stop; answers the IDs that were acknowledged. */
  function sendWithoutPause(): { stop: () => Promise<string[]>; acknowledged: string[] } {
    const acknowledged: string[] = []
    const mine = { on: true }
    sending = mine
    const one = async (sender: number) => {
      for (let i = 0; mine.on; i++) {
        const { url } = gateways[(sender + i) % gateways.length] as RunningService
        const message = { room, sender: 'alice', message: `${sender} ${i}`, messageType: 'text' }
        const answer = await call(url, 'POST', '/messages', admin(), message).catch(() => undefined)
        if (answer?.status === 200) acknowledged.push(String(answer.body.result['_id']))
        else await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const all = Promise.all([0, 1, 2, 3].map(one))
    return {
      acknowledged,
      stop: async () => {
        mine.on = false
        await all
        return acknowledged
      },
    }
  }

  async function history(): Promise<Seen[]> {
    const all: Seen[] = []
    for (;;) {
      const last = all.at(-1)
      const cursor = last ? `&afterMessage=${last._id}` : '&afterTime=0'
      const { body } = await call(gateway().url, 'GET', `/rooms/${room}/messages/v3?limit=500${cursor}`, client())
      const page = body.result['data'] as Seen[]
      if (page.length === 0) return all
      all.push(...page)
    }
  }

  /** Every acknowledged message is in the history, seq has no holes, the member got each, and the outbox is empty. */
  async function nothingIsLost(acknowledged: readonly string[]): Promise<void> {
    assert.ok(acknowledged.length > 20, `only ${acknowledged.length} messages were acknowledged`)
    const stored = await history()
    const ids = new Set(stored.map(({ _id }) => _id))
    assert.deepEqual(
      acknowledged.filter((id) => !ids.has(id)),
      [],
      'acknowledged but not in the history',
    )
    assert.deepEqual(
      stored.map(({ seq }) => seq).toSorted((a, b) => a - b),
      stored.map((_, i) => i + 1),
      'seq has no holes',
    )
    const missing = () => acknowledged.filter((id) => !received.has(id))
    await eventually('the connected member has every acknowledged message', () => missing().length === 0, 30)
  }

  test('of a gateway: what it had not published is relayed by another', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    await (gateways[1] as RunningService).kill()
    const count = sends.acknowledged.length
    await eventually('the other gateway goes on', () => sends.acknowledged.length > count + 50)
    gateways = [gateway()]
    await nothingIsLost(await sends.stop())
    gateways.push(await platform.start('api-gateway'))
  })

  test('of MongoDB: what was acknowledged is there when it is back', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    await platform.servers.mongo.kill()
    await platform.servers.mongo.restart()
    const count = sends.acknowledged.length
    await eventually('sending works again', () => sends.acknowledged.length > count + 50, 60)
    await nothingIsLost(await sends.stop())
  })

  test('of NATS: what was sent meanwhile arrives when it is back', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    await platform.servers.nats.kill()
    const count = sends.acknowledged.length
    await eventually('sends are acknowledged without NATS', () => sends.acknowledged.length > count + 20)
    await platform.servers.nats.restart()
    await nothingIsLost(await sends.stop())
    assert.ok(socket.connected, 'the socket stayed')
  })

  test('of a gateway while NATS is away: another relays what only the database has', async () => {
    const lonely = gateways.pop() as RunningService
    await platform.servers.nats.kill()
    const acknowledged: string[] = []
    for (let i = 0; i < 30; i++) {
      const message = { room, sender: 'alice', message: `nobody has heard of this yet ${i}`, messageType: 'text' }
      const answer = await call(lonely.url, 'POST', '/messages', admin(), message)
      assert.equal(answer.status, 200)
      acknowledged.push(String(answer.body.result['_id']))
    }
    await lonely.kill()
    assert.deepEqual(
      acknowledged.filter((id) => received.has(id)),
      [],
      'nothing can have arrived yet',
    )
    await platform.servers.nats.restart()
    await nothingIsLost(acknowledged)
    gateways.push(await platform.start('api-gateway'))
  })

  test('of Redis: messages flow on', async () => {
    await platform.servers.redis.kill()
    const sends = sendWithoutPause()
    await eventually('messages flow without Redis', () => sends.acknowledged.length > 50)
    await platform.servers.redis.restart()
    await nothingIsLost(await sends.stop())
  })

  test('of a realtime node: its member re-fetches and goes on at another', async () => {
    const sends = sendWithoutPause()
    await eventually('messages are flowing', () => sends.acknowledged.length > 50)
    const away = new Promise((resolve) => socket.once('disconnect', resolve))
    await realtime.kill()
    await away
    realtime = await platform.start('realtime')
    await listen()
    for (const { _id } of await history()) received.set(_id, (received.get(_id) ?? 0) + 1)
    const count = sends.acknowledged.length
    await eventually('messages are flowing', () => sends.acknowledged.length > count + 20)
    await nothingIsLost(await sends.stop())
  })
})
