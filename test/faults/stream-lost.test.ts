import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Message } from '@parley/contracts/resources/message'
import { parleyFile } from '@parley/stack/parley-command'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

const run = promisify(execFile)
/** Long timeouts, so that slow pushes and calls on a slow machine are not retried. */
const patient = { PARLEY_PUSH_NETWORK_TIMEOUT_MS: '60000', PARLEY_PUSH_CALL_TIMEOUT_MS: '60000' }

interface Sent {
  id: string
  room: string
}

describe('when NATS loses its log', () => {
  let platform: PushPlatform
  let hook: CallbackDouble
  let services: RunningService[]
  let gateways: RunningService[]
  let socket: Socket
  let alice: string
  let carol: string
  const rooms: string[] = []
  const heard = new Set<string>()

  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPushPlatform({ toKill: ['nats'] }), startCallback()])
    const others = await Promise.all([
      platform.start('api-gateway'),
      platform.start('realtime'),
      platform.start('realtime'),
      platform.startPush(patient),
      platform.startPush(patient),
      platform.start('stats'),
    ])
    services = [platform.gateway, ...others]
    gateways = services.slice(0, 2)
    alice = await platform.newUser()
    const bob = await platform.newUser()
    carol = await platform.newUser(['fcm'])
    for (let i = 0; i < 4; i++) {
      rooms.push(await platform.newRoom([alice, bob, carol], { webhook: `${hook.url}/${i}`, owner: alice }))
    }
    socket = await connectClient(String(services[2]?.url), platform.tokenOf(bob))
    socket.on('chat message', (message: Message) => heard.add(message._id))
  })
  afterAll(async () => {
    socket.disconnect()
    await platform.stop()
    await hook.stop()
  })

  /** Restarts NATS with an older state of its log, as after a crash before a sync to disk. */
  async function goBack(meanwhile: () => Promise<unknown>): Promise<void> {
    const before = (await state())?.losses ?? 0
    const store = join(String(platform.servers.nats.dir), 'jetstream')
    await platform.servers.nats.stop()
    await cp(store, `${store}-before`, { recursive: true })
    await platform.servers.nats.restart()
    await meanwhile()
    await platform.servers.nats.kill()
    await rm(store, { recursive: true })
    await rename(`${store}-before`, store)
    await platform.servers.nats.restart()
    await eventually('the loss is noticed', async () => ((await state())?.losses ?? 0) > before)
  }
  const state = () => platform.db.streamState.findOne({})
  /** Kills NATS, deletes its log and restarts it. */
  async function loseLog(): Promise<void> {
    const before = (await state())?.losses ?? 0
    await platform.servers.nats.kill()
    await rm(join(String(platform.servers.nats.dir), 'jetstream'), { recursive: true })
    await platform.servers.nats.restart()
    await eventually('the loss is noticed', async () => ((await state())?.losses ?? 0) > before)
  }
  const isRebuilt = () => eventually('all is published again', async () => !(await state())?.rebuilding)

  /** Calls the gateways in turn until one succeeds. */
  async function insist(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    for (let i = 0; ; i++) {
      const gateway = String(gateways[i % gateways.length]?.url)
      const answer = await call(gateway, method, path, { 'im-api-key': platform.apiKey }, body).catch(() => undefined)
      if (answer?.status === 200) return answer.body.result
    }
  }

  /** Sends to a room and sometimes renames it, until `isOver`. */
  async function load(room: string, isOver: () => boolean): Promise<{ sent: Sent[]; renamed: number }> {
    const sent: Sent[] = []
    let renamed = 0
    for (let i = 0; !isOver(); i++) {
      const message = { room, sender: alice, message: `${i}`, messageType: 'text', clientMessageID: `${room} ${i}` }
      sent.push({ id: String((await insist('POST', '/messages', message))['_id']), room })
      if (i % 10 === 0) {
        await platform.as(alice, 'PUT', `/rooms/${room}`, { name: `name ${i}` })
        renamed++
      }
      // A pace that a busy machine can sustain.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { sent, renamed }
  }

  const webhookIds = (event: string, room: string) =>
    new Set(
      hook.calls
        .filter(({ body }) => body.event === event && body.roomID === room)
        .map(({ headers }) => String(headers['webhook-id'])),
    )

  test('twice under load, nothing is missing, no device gets a push twice, and every service reports the loss', async () => {
    const cursor = String((await platform.admin('GET', '/admin/events'))['cursor'])
    const since = Math.floor(Date.now() / 1_000) - 5
    let isOver = false
    const loading = Promise.all(rooms.map((room) => load(room, () => isOver)))
    await eventually('some are pushed', () => platform.fcm.pushes.length > 40)
    // Stop the consumers, so that unhandled events are only in the log.
    const consumers = services.filter(({ service }) => service === 'push' || service === 'stats')
    await Promise.all(consumers.map((service) => service.stop()))
    const sentBefore = heard.size
    await eventually('much is not handled', () => heard.size > sentBefore + 40)
    await loseLog()
    services = services.filter((service) => !consumers.includes(service))
    services.push(
      ...(await Promise.all([platform.startPush(patient), platform.startPush(patient), platform.start('stats')])),
    )
    // Lose it again while events are still being republished.
    await loseLog()
    await isRebuilt()
    const soFar = platform.fcm.pushes.length
    await eventually('messages flow', () => platform.fcm.pushes.length > soFar + 20)
    isOver = true
    const loads = await loading
    const sent = loads.flatMap((one) => one.sent)
    const ids = sent.map(({ id }) => id)

    await eventually('the socket has heard all', () => ids.every((id) => heard.has(id)))
    await eventually('every message is pushed', () => new Set(pushed()).size >= ids.length)
    for (const [i, room] of rooms.entries()) {
      const own = sent.filter((one) => one.room === room).map(({ id }) => `hook_${id}`)
      await eventually('the webhook has all messages', () => webhookIds('MESSAGE', room).size >= own.length)
      assert.deepEqual([...webhookIds('MESSAGE', room)].toSorted(), own.toSorted())
      // One more for the room's creation.
      const renamed = 1 + (loads[i]?.renamed ?? 0)
      await eventually('the webhook has all changes', () => webhookIds('ROOM', room).size >= renamed)
      assert.equal(webhookIds('ROOM', room).size, renamed)
    }
    await eventually('nothing waits', nothingWaits)
    assert.deepEqual(pushed().toSorted(), ids.toSorted())
    const report = async () =>
      platform.admin('GET', `/admin/stats?start=${since}&end=${Math.floor(Date.now() / 1_000) + 5}`)
    await eventually('the statistics have all', async () => Number((await report())['messageCount']) >= ids.length)
    assert.equal((await report())['messageCount'], ids.length)
    await everythingIsInTheFeed(cursor, ids)
    for (const service of services.slice(0, 4)) {
      const lost = () => platform.metric(service, /^parley_stream_lost_total/)
      await eventually(`${service.service} has noticed`, async () => (await lost()) >= 2)
    }
  })

  test('back to an earlier state, no event in between is missing', async () => {
    const room = String(rooms[0])
    const soFar = pushed().length
    const ids: string[] = []
    const push = services.filter(({ service }) => service === 'push')
    await goBack(async () => {
      ids.push(await platform.send(room, alice))
      await eventually('the first is pushed', () => pushed().length > soFar)
      await Promise.all(push.map((service) => service.stop()))
      for (let i = 0; i < 20; i++) ids.push(await platform.send(room, alice))
      await eventually('the socket has heard all', () => ids.every((id) => heard.has(id)))
    })
    const others = services.filter((service) => !push.includes(service))
    services = [...others, ...(await Promise.all([platform.startPush(patient), platform.startPush(patient)]))]
    await isRebuilt()
    ids.push(await platform.send(room, alice))
    await eventually('every message is pushed', () => ids.every((id) => pushed().includes(id)))
    const hooked = () => ids.every((id) => webhookIds('MESSAGE', room).has(`hook_${id}`))
    await eventually('the webhook has all', hooked)
    await eventually('nothing waits', nothingWaits)
    assert.deepEqual(pushed().slice(soFar).toSorted(), ids.toSorted())
  })

  test('a repeated manual rebuild has no second effect, even after a kill', async () => {
    const room = String(rooms[0])
    const before = { pushes: pushed().length, ids: webhookIds('MESSAGE', room).size }
    const { mongoUrl, natsUrl } = platform.servers
    const env = { PATH: process.env['PATH'], PARLEY_MONGO_URL: mongoUrl, PARLEY_NATS_URL: natsUrl }
    const command = (since: string) => [parleyFile, 'rebuild-stream', '--since', since]
    const broken = spawn(process.execPath, command('10m'), { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(broken, 'exit')
    const [said] = (await once(broken.stdout, 'data')) as [Buffer]
    broken.kill('SIGKILL')
    await exit
    const [, upTo = ''] = /^\d+ events published again, up to (\S+)$/m.exec(said.toString()) ?? []
    const publishAgain = async (since: string) => {
      const { stdout } = await run(process.execPath, command(since), { env })
      return Number(/^(\d+) events since/m.exec(stdout)?.[1])
    }
    // The second run covers days without events, which are skipped.
    const [rest, events] = [await publishAgain(upTo), await publishAgain(`${6 * 24 * 60}m`)]
    assert.ok(events > before.ids && rest > 0 && rest < events, `${events} events, ${rest} since ${upTo}`)
    const audited = await platform.db.audit.find({ action: 'rebuild-stream' }).sort({ atMS: 1, id: 1 }).toArray()
    const outcomes = audited.map(({ after = '{}' }) => JSON.parse(after) as { outcome: string; events?: number })
    assert.deepEqual(
      outcomes.map(({ outcome, events: count }) => [outcome, count]),
      [
        ['begun', undefined],
        ...[rest, events].flatMap((count) => [
          ['begun', undefined],
          ['done', count],
        ]),
      ],
    )
    const tooOld = run(process.execPath, command(`${8 * 24 * 60}m`), { env })
    await assert.rejects(tooOld, /expected a time within 7 days/)
    const id = await platform.send(room, alice)
    await eventually('it is pushed', () => pushed().includes(id))
    await eventually('the webhook has it', () => webhookIds('MESSAGE', room).has(`hook_${id}`))
    await eventually('nothing waits', nothingWaits)
    assert.equal(pushed().length, before.pushes + 1)
    assert.equal(webhookIds('MESSAGE', room).size, before.ids + 1)
  })

  const pushed = () => platform.fcm.pushes.map(({ message }) => String(message.data.messageID))
  async function nothingWaits(): Promise<boolean> {
    const due = await platform.db.pushes.countDocuments({ dueAtMS: { $exists: true } })
    const notes = await platform.db.outbox.countDocuments({})
    const lag = await Promise.all(
      services.map((service) => platform.metric(service, /^parley_consumer_(lag|unacknowledged)_messages\{.*push/)),
    )
    return due === 0 && notes === 0 && lag.every((count) => count === 0)
  }

  /** Reads the feed from a cursor of before both losses until it has every message. */
  async function everythingIsInTheFeed(from: string, ids: readonly string[]): Promise<void> {
    const missing = new Set(ids)
    for (let cursor = from; missing.size > 0; ) {
      const page = await platform.admin('GET', `/admin/events?types=chat%20message&wait=20&limit=500&after=${cursor}`)
      const found = page['data'] as { data: { _id: string } }[]
      for (const { data } of found) missing.delete(data._id)
      const isEnd = found.length === 0 && page['cursor'] === cursor
      assert.ok(!isEnd, `the feed ends without ${missing.size} messages`)
      cursor = String(page['cursor'])
    }
  }
})
