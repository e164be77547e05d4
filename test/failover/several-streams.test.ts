import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { type Bus, connectBus } from '@parley/bus/connect'
import { learnStreams } from '@parley/bus/stream/stream-info'
import { partitionOf, streamsOfPartitions } from '@parley/contracts/bus/partitions'
import { streamNames } from '@parley/contracts/bus/streams'
import { connectDb, type Db } from '@parley/db/connect'
import { findStreamStates } from '@parley/db/events/stream-state'
import { type Cluster, newServersDir, startNatsCluster } from '@parley/stack/clusters'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectResuming, type ResumingClient } from '../catch-up/resuming-client.ts'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { everythingArrives, type Seen, type Sending, startSending, wholeHistory } from '../faults/durable-sending.ts'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

const count = 4
const env = {
  PARLEY_STREAM_REPLICAS: '3',
  PARLEY_STREAM_MAX_BYTES: String(256 * 1024 ** 2),
  PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'true',
}

describe('four streams led by three NATS servers', () => {
  const dir = newServersDir()
  let nats: Cluster
  let platform: Platform
  let hook: CallbackDouble
  let bus: Bus
  let db: Db
  let gateways: RunningService[]
  let node: RunningService
  let bob: PlatformUser
  let socket: Socket
  /** Two or more in each of the four streams. */
  const rooms: string[] = []
  const received = new Map<string, Seen & { room: string }>()
  let sendings: Sending[] = []
  /** IDs by room, across all tests. */
  const acknowledged = new Map<string, string[]>()

  beforeAll(async () => {
    const [cluster, shared, callback] = await Promise.all([startNatsCluster(dir), isolatedServers(), startCallback()])
    ;[nats, hook] = [cluster, callback]
    platform = await startPlatform({ own: { ...shared, natsUrl: nats.url } })
    gateways = [await platform.start('api-gateway', env), await platform.start('api-gateway', env)]
    node = await platform.start('realtime', env)
    await Promise.all([platform.start('push', env), platform.start('stats', env)])
    bus = await connectBus(nats.url, 'streams test')
    db = await connectDb(platform.servers.mongoUrl, { appName: 'streams test' })
    await platform.newUser('alice')
    bob = await platform.newUser('bob')
    while (!hasTwoOfEach(rooms))
      rooms.push(await platform.newRoom(['alice', 'bob'], { webhook: `${hook.url}/${rooms.length}` }))
    socket = await platform.connect(node, bob)
    socket.on('chat message', (message: Seen & { room: string }) => received.set(message._id, message))
  })
  afterAll(async () => {
    await stopSending()
    socket?.close()
    await Promise.all([bus.close(), db.client.close(), hook.stop()])
    await platform?.stop()
    await dir.stop()
  })

  function hasTwoOfEach(created: readonly string[]): boolean {
    const owners = streamsOfPartitions(count)
    const streams = created.map((room) => owners[partitionOf({ app: platform.app, room })])
    return streamNames(count).every((_, stream) => streams.filter((one) => one === stream).length >= 2)
  }

  function send(): void {
    const headers = { 'im-api-key': platform.apiKey }
    const urls = () => gateways.map(({ url }) => url)
    sendings = rooms.map((room) => startSending({ urls, headers, room, senders: 1, pauseMS: 250 }))
  }

  async function stopSending(): Promise<void> {
    await Promise.all(sendings.map((sending) => sending.stop()))
    for (const [i, sending] of sendings.entries()) {
      const room = rooms[i] ?? ''
      acknowledged.set(room, [...(acknowledged.get(room) ?? []), ...sending.acknowledged])
    }
    sendings = []
  }

  /** Resolves when more messages have been sent to every room. */
  async function someAre(what: string, max = 5): Promise<void> {
    const before = sendings.map((sending) => sending.acknowledged.length)
    await eventually(what, () => sendings.every((one, i) => one.acknowledged.length > (before[i] ?? 0) + max), 120)
  }

  /** Causes a failure while sending to every room. */
  async function under(fault: () => Promise<void>): Promise<void> {
    send()
    await someAre('messages are flowing')
    await fault()
    await someAre('messages are flowing again')
    await stopSending()
    await everyoneHasAll()
  }

  const inOrder = (messages: readonly Seen[]) =>
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map(({ seq }) => seq).toSorted((a, b) => a - b),
    )

  /** Waits until the connected member and the webhooks have every message. */
  async function everyoneHasAll(): Promise<void> {
    for (const [i, room] of rooms.entries()) {
      const stored = await wholeHistory(gateways[0]?.url ?? '', room, bob.headers)
      await everythingArrives(acknowledged.get(room) ?? [], stored, received)
      const called = () => hook.calls.filter(({ path, body }) => path === `/${i}` && body.event === 'MESSAGE')
      const ids = () => new Set(called().map(({ headers }) => String(headers['webhook-id'])))
      const all = (acknowledged.get(room) ?? []).map((id) => `hook_${id}`)
      await eventually('the webhook has all', () => all.every((id) => ids().has(id)), 180)
    }
  }

  async function leaders(): Promise<Map<string, string>> {
    const { streams } = await jetstreamManager(bus.nats)
    const infos = await Promise.all(streamNames(count).map((name) => streams.info(name)))
    return new Map(infos.map(({ config, cluster }) => [config.name, cluster?.leader ?? '']))
  }

  /** Makes every server lead at least one stream. */
  async function spreadLeaders(): Promise<void> {
    await eventually(
      'each server leads a stream',
      async () => {
        const now = await leaders().catch(() => undefined)
        const of = [...(now?.values() ?? [])]
        if (new Set(of).size === nats.members.size && !of.includes('')) return true
        const twice = [...(now ?? [])].find(([name, leader]) => of.filter((one) => one === leader).length > 1 && name)
        if (twice) await bus.nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${twice[0]}`).catch(() => undefined)
        await pause(500)
        return false
      },
      120,
    )
  }

  async function resumedBy(since: number, work: () => Promise<void>): Promise<ResumingClient & { resumed: boolean }> {
    await work()
    const client = await connectResuming(node.url, bob.token)
    const { result } = await client.login({ since })
    return { ...client, resumed: result.resumed === true }
  }
  const messagesOf = ({ heard }: ResumingClient, room: string) =>
    heard
      .filter(({ event, payload }) => event === 'chat message' && (payload as { room: string }).room === room)
      .map(({ payload }) => payload as Seen)
  async function now(): Promise<number> {
    const client = await connectResuming(node.url, bob.token)
    const { serverTimeMS } = (await client.login({ since: 0 })).result
    client.socket.close()
    return serverTimeMS
  }
  /** A stream without a leader answers nothing until it has one. */
  const describedStreams = () =>
    eventually('NATS describes its streams', () => learnStreams(bus).catch(() => undefined))
  const numberOfStreams = async () => {
    const found = await describedStreams()
    return [...found.values()].filter((info) => info.count === count && info.takesAll).length
  }

  test('one stream is split into four under load: nothing is lost, and a room’s changes stay in order', async () => {
    const since = await now()
    const before = sentSoFar()
    const feed = String((await platform.admin('GET', '/admin/events'))['cursor'])
    const renaming = rename()
    const client = await resumedBy(since, () =>
      under(async () => {
        gateways.push(await platform.start('api-gateway', { ...env, PARLEY_STREAMS: String(count) }))
        await eventually('there are four streams', async () => (await numberOfStreams()) === count)
        await someAre('messages are flowing in all')
      }),
    ).catch(async (error: unknown) => {
      await renaming.stop()
      throw error
    })
    const lastName = await renaming.stop()
    assert.equal(client.resumed, true)
    for (const room of rooms) {
      hasAll(client, room, before)
      inOrder([...received.values()].filter((message) => message.room === room))
    }
    client.socket.close()
    const states = await describedStreams()
    for (const { state } of states.values()) assert.ok(state.messages > 5, 'each stream has events')
    await readFeed(feed, before, lastName)
  })

  /** The number of messages sent to each room so far. */
  const sentSoFar = () => new Map(rooms.map((room) => [room, acknowledged.get(room)?.length ?? 0]))
  const sentSince = (room: string, before: ReadonlyMap<string, number>) =>
    acknowledged.get(room)?.slice(before.get(room)) ?? []

  function hasAll(client: ResumingClient, room: string, before: ReadonlyMap<string, number>): void {
    const ids = new Set(messagesOf(client, room).map(({ _id }) => _id))
    assert.deepEqual(
      sentSince(room, before).filter((id) => !ids.has(id)),
      [],
    )
  }

  /** Keeps renaming every room; the returned function stops and returns the last name. */
  function rename() {
    let isOver = false
    async function run(): Promise<number> {
      for (let n = 1; ; n++) {
        const change = { name: `${n}` }
        await Promise.all(rooms.map((room) => platform.admin('PUT', `/rooms/${room}`, change)))
        if (isOver) return n
        await pause(250)
      }
    }
    const running = run()
    // stop() throws the error.
    running.catch(() => {})
    return {
      stop() {
        isOver = true
        return running
      },
    }
  }

  /** Asserts that the feed since a cursor has every message, and each room's changes in order. */
  async function readFeed(cursor: string, before: ReadonlyMap<string, number>, lastName: number): Promise<void> {
    const wanted = new Set(rooms.flatMap((room) => sentSince(room, before)))
    const names = new Map(rooms.map((room) => [room, 0]))
    const isRead = () => wanted.size === 0 && [...names.values()].every((name) => name === lastName)
    for (let after = cursor; !isRead(); ) {
      const query = `after=${after}&limit=500&types=chat%20message,room&wait=5`
      const page = await platform.admin('GET', `/admin/events?${query}`)
      for (const { event, data } of page['data'] as { event: string; data: { _id: string; name?: string } }[]) {
        wanted.delete(data._id)
        if (event !== 'room') continue
        const name = Number(data.name)
        assert.ok(name >= (names.get(data._id) ?? 0), `${name} of ${data._id} after ${names.get(data._id)}`)
        names.set(data._id, name)
      }
      after = String(page['cursor'])
    }
  }

  test('each leader is killed and returns: nothing is lost', async () => {
    await spreadLeaders()
    const since = await now()
    const before = sentSoFar()
    const client = await resumedBy(since, async () => {
      for (const server of nats.members.values()) {
        await under(async () => {
          await server.kill()
          await someAre('messages are flowing without it')
          await server.restart()
        })
      }
    })
    assert.equal(client.resumed, true)
    for (const room of rooms) hasAll(client, room, before)
    client.socket.close()
  })

  test('a lost stream is recreated, and clients of other streams catch up', async () => {
    const name = streamNames(count)[count - 1] ?? ''
    const carol = await userOutside(name)
    const before = await lossesByStream()
    const since = await now()
    await under(async () => {
      await bus.nats.request(`$JS.API.STREAM.DELETE.${name}`)
      const state = async () => (await findStreamStates(db)).get(name)
      await eventually('the loss is noticed', async () => ((await state())?.losses ?? 0) > (before[count - 1] ?? 0), 60)
      await eventually('its events are published again', async () => !(await state())?.rebuilding, 120)
    })
    const losses = await lossesByStream()
    assert.deepEqual(
      losses.map((now, i) => (now ?? 0) - (before[i] ?? 0)),
      [0, 0, 0, 1],
    )
    const resumed = async ({ token }: PlatformUser) => {
      const client = await connectResuming(node.url, token)
      const { result } = await client.login({ since })
      client.socket.close()
      return result.resumed
    }
    // A replay also fails if NATS is too slow to deliver, as it can be after elections.
    await eventually('a client of other streams is resumed', () => resumed(carol), 60)
    assert.equal(await resumed(bob), false)
  })

  const lossesByStream = async () => {
    const states = await findStreamStates(db)
    return streamNames(count).map((name) => states.get(name)?.losses)
  }

  /** Creates a user with a room whose events are all in other streams than this one. */
  async function userOutside(stream: string): Promise<PlatformUser> {
    for (;;) {
      const user = await platform.newUser()
      const room = await platform.newRoom([user.id])
      const own = [{ room }, { user: user.id }].map((to) => bus.streams.streamOf({ app: platform.app, ...to }))
      if (!own.includes(stream)) return user
    }
  }
})
