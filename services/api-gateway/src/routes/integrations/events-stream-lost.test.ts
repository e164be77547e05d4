import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureStreams } from '@parley/bus/stream/ensure-streams'
import { ensureStream } from '@parley/bus/stream/stream'
import { deleteStream, findStream } from '@parley/bus/stream/stream-state'
import { rebuildLostStreams } from '@parley/chat/events/rebuild-stream'
import { openAppFeed } from '@parley/chat/events-feed/app-feed'
import { parseCursor, toCursor } from '@parley/chat/events-feed/cursor'
import { streamName } from '@parley/contracts/bus/streams'
import { feedSubject } from '@parley/contracts/bus/subjects'
import type { StreamStateDoc } from '@parley/db/events/documents'
import { findStreamState, insertStreamState, leaseRebuilding, recordLoss } from '@parley/db/events/stream-state'
import { createLog } from '@parley/service/log'
import { createMetrics } from '@parley/service/metrics'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { nextFirstSeq, replaceStream } from '@parley/wiring/stream-loss'
import { watchStreams } from '@parley/wiring/watch-stream'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'
import { openNatsProxy } from '../../test-nats-proxy.ts'

const options = { maxAgeHours: 72, maxBytes: 2 ** 30, replicas: 1, count: 1 }
const only = { index: 0, count: 1 }
const minute = 60_000
const log = createLog({ service: 'api-gateway', node: 'test', level: 'silent' })

describe("the integrator's event feed and its stream", () => {
  let servers: Servers
  let gateway: TestGateway
  beforeAll(async () => {
    servers = await isolatedServers()
    gateway = await startTestGateway({ servers })
  })
  afterAll(async () => {
    await gateway.stop()
    await servers.stop()
  })

  const read = (after: string, of = gateway) => of.admin('GET', `/admin/events?after=${after}`)
  const now = async (): Promise<string> => (await gateway.admin('GET', '/admin/events')).body.result.cursor
  /** As the services that watch the stream do. */
  async function state(): Promise<StreamStateDoc> {
    const { bus, db } = gateway.chat
    const { created, lastSeq } = (await findStream(bus, streamName(0))) ?? { created: '', lastSeq: 0 }
    const nowMS = Date.now()
    const known = { created, seq: lastSeq, seenAtMS: nowMS, handledUpToMS: nowMS, losses: 0 }
    await db.streamState.deleteMany({})
    await insertStreamState(db, { _id: streamName(0), ...known })
    return (await findStreamState(db, streamName(0))) as StreamStateDoc
  }

  /** While a service watches the stream. */
  async function watched(work: () => Promise<void>): Promise<void> {
    const { bus, db } = gateway.chat
    const stopping = new AbortController()
    const watching = watchStreams({ db, bus, options, log, metrics: createMetrics('test') }, stopping.signal)
    try {
      await work()
    } finally {
      stopping.abort()
      await watching
    }
  }

  test('an empty stream has an oldest cursor to resume from', async () => {
    await gateway.newUser()
    // docs.nats.io, "JetStream API": purge removes all messages.
    await gateway.chat.bus.nats.request(`$JS.API.STREAM.PURGE.${streamName(0)}`)
    const gone = await read('0-0')
    assert.equal(gone.status, 410)
    const { oldest } = gone.body.error
    assert.deepEqual((await read(oldest)).body.result?.data, [])
    const user = await gateway.newUser()
    const newest = async () => (await read(oldest)).body.result.data[0]
    // Publishing to the feed is not awaited.
    assert.equal((await vi.waitUntil(newest, { timeout: 60_000 })).user, user.id)
  })

  test('a cursor of the last two minutes resumes in the stream that replaces a lost one, and is 503 until then', async () => {
    const { bus, db } = gateway.chat
    // Nothing is in its memory.
    const other = await gateway.another()
    const { seqs } = parseCursor(await now())
    const known = await state()
    const cursorOf = (agoMS: number) => toCursor({ seqs, timeMS: known.seenAtMS - agoMS })
    await deleteStream(bus, streamName(0))
    // A starting service creates a new one, not recorded yet.
    await ensureStream(bus, options, { ...only, firstSeq: nextFirstSeq(known) })
    assert.equal((await read(cursorOf(0), other)).status, 503)
    assert.equal(await replaceStream(db, bus, { ...options, ...only }, known), true)
    assert.equal((await read(cursorOf(0), other)).status, 200)
    assert.equal((await read(cursorOf(2 * minute), other)).status, 200)
    assert.equal((await read(cursorOf(10 * minute), other)).status, 410)
    await other.stop()
  })

  test('a cursor between republished events skips none of them after a second loss', async () => {
    const { bus, db } = gateway.chat
    // Nothing is in its memory.
    const other = await gateway.another()
    const lose = async (changes: Partial<StreamStateDoc>) => {
      const known = { ...(await state()), ...changes }
      await db.streamState.updateOne({}, { $set: known })
      await deleteStream(bus, streamName(0))
      assert.equal(await replaceStream(db, bus, { ...options, ...only }, known), true)
    }
    const republish = async () => {
      await rebuildLostStreams(gateway.chat).work(new AbortController().signal)
      const { rebuilding, rebuilt } = (await findStreamState(db, streamName(0))) ?? {}
      assert.equal(rebuilding, undefined)
      return rebuilt
    }
    const before = await now()
    const { id } = await gateway.newUser()
    const about = { 'events.to.user': id }
    await vi.waitUntil(() => db.publishedEvents.findOne(about), { timeout: 60_000 })
    const nowMS = Date.now()
    await db.publishedEvents.updateMany(about, { $set: { at: new Date(nowMS - 10 * minute) } })
    // A consumer was late at the first loss.
    await lose({ handledUpToMS: nowMS - 20 * minute })
    const live = await gateway.newUser()
    const readOne = async (after: string) => {
      const page = async () => (await read(`${after}&limit=1`, other)).body.result
      return vi.waitUntil(async () => ((await page())?.data.length > 0 ? page() : undefined), { timeout: 60_000 })
    }
    const first = await readOne(before)
    assert.equal(first.data[0].user, live.id)
    const rebuilt = await republish()
    await lose({ ...(rebuilt && { rebuilt }), handledUpToMS: Date.now() + 1 })
    await republish()
    const last = await gateway.newUser()
    const seen: string[] = []
    for (let after = first.cursor; !seen.includes(last.id); ) {
      const page = await readOne(after)
      seen.push(page.data[0].user)
      after = page.cursor
    }
    assert.ok(seen.includes(id), 'the republished event is missing')
    await other.stop()
  })

  test('the cursor of a waiting reader stays fresh while nothing happens', async () => {
    const feed = openAppFeed(gateway.chat.bus, 'an app where nothing happens', log, () => 1_000, 10)
    await feed.ready
    const { seqs, timeMS } = feed.head
    while (feed.head.timeMS === timeMS) await pause(10)
    assert.deepEqual(feed.head.seqs, seqs)
    feed.stop()
  })

  test('is 503 while NATS is unavailable', async () => {
    const proxy = await openNatsProxy(servers.natsUrl)
    const other = await gateway.another({ natsUrl: proxy.url })
    try {
      proxy.cut()
      const { status, body } = await other.admin('GET', '/admin/events')
      assert.deepEqual([status, body.error.code], [503, 'SERVICE_UNAVAILABLE'])
    } finally {
      proxy.mend()
      await other.stop()
      await proxy.close()
    }
  })

  test('progress of the stream is recorded even after a process with a clock ahead of time', async () => {
    const { db } = gateway.chat
    await state()
    const aheadMS = Date.now() + 60 * minute
    await db.streamState.updateOne({}, { $set: { seenAtMS: aheadMS, handledUpToMS: aheadMS } })
    const seen = async () => (await findStreamState(db, streamName(0))) as StreamStateDoc
    await watched(async () => {
      while ((await seen()).seenAtMS === aheadMS) await pause(20)
    })
    assert.ok((await seen()).handledUpToMS < aheadMS)
  })

  test('a stream that returns after its loss was noted is no longer waited for', async () => {
    const { bus, db } = gateway.chat
    const known = await state()
    const nowMS = Date.now()
    const rebuilding = { sinceMS: nowMS - minute, untilMS: nowMS, doneUpToMS: nowMS - minute }
    // By a process that failed to replace it, or died first.
    assert.equal(await recordLoss(db, known, { ...rebuilding, afterSeq: known.seq, leaseUntilMS: 0 }, nowMS - 1), true)
    await watched(async () => {
      while (!(await leaseRebuilding(db, 1_000))) await pause(20)
    })
    assert.equal((await findStream(bus, streamName(0)))?.created, known.created)
  })

  test("a cursor's time waits for an unreachable stream, even if another one is reachable", async () => {
    const { bus } = gateway.chat
    await ensureStreams(bus, { ...options, count: 2 })
    const feed = openAppFeed(bus, gateway.app, log, () => 1_000_000, 10)
    await feed.ready
    const to = Array.from({ length: 99 }, (_, i) => ({ app: gateway.app, user: `${i}` })).find(
      (user) => bus.streams.streamOf(user) === streamName(0),
    )
    assert.ok(to)
    await deleteStream(bus, streamName(1))
    const lostAtMS = Date.now()
    while (Date.now() < lostAtMS + 1_000) await pause(20)
    const { seq } = (await bus.nats.request(feedSubject(to, 'user'), '{}')).json<{ seq: number }>()
    while ((feed.head.seqs[0] ?? 0) < seq) await pause(20)
    assert.ok(feed.head.timeMS < lostAtMS + 1_000, `${feed.head.timeMS - lostAtMS} ms after the loss`)
    feed.stop()
  })
})
