import assert from 'node:assert/strict'
import { connectBus } from '@parley/bus/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { openEventStream } from './event-stream-reader.ts'

interface Item {
  cursor: string
  id: string
  event: string
  data: { _id?: string; message?: string }
}
interface Page {
  data: Item[]
  cursor: string
}

describe("readers of the integrator's feed", () => {
  let platform: Platform
  let gateways: RunningService[]
  let alice: PlatformUser
  let room: string
  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats'] })
    gateways = await Promise.all([platform.start('api-gateway'), platform.start('api-gateway')])
    alice = await platform.newUser()
    room = await platform.newRoom([alice.id])
  })
  afterAll(() => platform.stop())

  const key = () => ({ 'im-api-key': platform.apiKey })
  const gatewayUrl = (i: number) => String(gateways[i % gateways.length]?.url)
  /** Reads a page, retrying at the other gateway while one is away. */
  async function read(i: number, query: string): Promise<Page> {
    for (let attempt = i; ; attempt++) {
      const answer = await call(gatewayUrl(attempt), 'GET', `/admin/events?${query}`, key()).catch(() => undefined)
      if (answer?.status === 200) return answer.body.result as unknown as Page
      assert.equal(answer === undefined || answer.status === 503, true, JSON.stringify(answer))
    }
  }
  const begin = async () => (await read(0, '')).cursor
  async function send(message: string): Promise<string> {
    const body = { room, sender: alice.id, message, messageType: 'text', clientMessageID: message.slice(0, 40) }
    for (let attempt = 0; ; attempt++) {
      const answer = await call(gatewayUrl(attempt), 'POST', '/messages', key(), body).catch(() => undefined)
      if (answer?.status === 200) return String(answer.body.result['_id'])
    }
  }
  /** Polls from a cursor until every message has arrived; returns them in order of arrival, without duplicates. */
  async function pollFor(wanted: ReadonlySet<string>, after: string, i: number): Promise<string[]> {
    const seen = new Set<string>()
    let cursor = after
    while (seen.size < wanted.size) {
      const page = await read(i, `after=${cursor}&wait=20&types=chat%20message&limit=50`)
      for (const { data } of page.data) if (wanted.has(String(data._id))) seen.add(String(data._id))
      cursor = page.cursor
    }
    return [...seen]
  }

  /** The same with a stream, reopened from the last ID when it ends, until this many messages have arrived. */
  async function streamFor(count: number, after: string, i: number) {
    const seen = new Set<string>()
    let last = after
    for (let attempt = i; seen.size < count; attempt++) {
      const path = `${gatewayUrl(attempt)}/admin/events?types=chat%20message`
      const stream = await openEventStream(path, { ...key(), 'last-event-id': last }).catch(() => undefined)
      for (let next = await stream?.next(); next; next = await stream?.next()) {
        last = next.id === '' ? last : next.id
        if (next.event === 'chat message') seen.add(next.data.data._id)
        if (seen.size >= count) break
      }
      stream?.close()
    }
    return [...seen]
  }

  test('get every event in order, polling or streaming, while gateways and NATS are killed', async () => {
    const after = await begin()
    const wanted = new Set<string>()
    const count = 300
    const sending = (async () => {
      for (let i = 0; i < count; i++) wanted.add(await send(`under faults ${i}`))
    })()
    const faults = (async () => {
      await eventually('a third is sent', () => Promise.resolve(wanted.size > 100))
      await gateways[1]?.kill()
      gateways[1] = await platform.start('api-gateway')
      await platform.servers.nats.kill()
      await platform.servers.nats.restart()
    })()
    const streams = Array.from({ length: 20 }, (_, i) => streamFor(count, after, i))
    await Promise.all([sending, faults])
    const order = [...wanted]
    const polled = await Promise.all([...Array.from({ length: 40 }, (_, i) => pollFor(wanted, after, i)), ...streams])
    const last = await read(0, `after=${after}&limit=500&types=chat%20message`)
    const unique = [...new Set(last.data.map(({ data }) => String(data._id)))].filter((id) => wanted.has(id))
    assert.deepEqual(unique.toSorted(), order.toSorted())
    // All readers get the same order.
    for (const ids of polled) assert.deepEqual(ids, unique)
  })

  test('a slow reader gets everything and delays nothing else', async () => {
    const after = await begin()
    const slow = await openEventStream(`${gatewayUrl(0)}/admin/events?types=chat%20message&after=${after}`, key())
    const big = 'x'.repeat(60_000)
    const sent: string[] = []
    // More than the gateway keeps in memory per app and the kernel buffers per socket.
    for (let i = 0; i < 25; i++)
      sent.push(...(await Promise.all(Array.from({ length: 8 }, (_, j) => send(`${i} ${j} ${big}`)))))
    const quick = await pollFor(new Set(sent), after, 1)
    assert.deepEqual(quick.toSorted(), sent.toSorted())
    const seen: string[] = []
    while (seen.length < sent.length) {
      const next = await slow.next()
      assert.ok(next, 'the stream has ended')
      if (next.event === 'chat message') seen.push(next.data.data._id)
    }
    assert.deepEqual(seen, quick)
    slow.close()
  })

  test('a cursor that is too old returns 410 with the oldest cursor, from which reading can resume', async () => {
    const after = await begin()
    const first = await send('it will be gone')
    const second = await send('it stays')
    await pollFor(new Set([first, second]), after, 0)
    const kept = (await read(0, `after=${after}`)).data.find(({ data }) => data._id === second)
    assert.ok(kept)
    const bus = await connectBus(platform.servers.natsUrl, 'test')
    const seq = Number.parseInt(String(kept.cursor.split('-')[0]), 36)
    // docs.nats.io, "JetStream API": purges all messages before `seq`.
    await bus.nats.request('$JS.API.STREAM.PURGE.PARLEY_EVENTS', JSON.stringify({ seq }))
    await bus.close()
    for (const i of [0, 1]) {
      const gone = await call(gatewayUrl(i), 'GET', '/admin/events?after=1-1', key())
      assert.equal(gone.status, 410, JSON.stringify(gone.body))
      const { error } = gone.body as unknown as { error: { code: string; oldest: string } }
      assert.equal(error.code, 'CURSOR_GONE')
      const { data } = await read(i, `after=${error.oldest}`)
      assert.equal(data[0]?.data._id, second)
    }
  })
})
