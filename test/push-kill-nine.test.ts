import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { type CallbackDouble, type ReceivedCall, startCallback } from './doubles/callback.ts'
import { eventually, type RunningService } from './platform.ts'
import { addDevices, type PushPlatform, startPushPlatform } from './test-push-platform.ts'

const devices = 150
/** Pushes that a process takes from the database at a time, for each network. */
const perTake = 5

suite('a push service that dies by kill -9', { timeout: 300_000 }, () => {
  let platform: PushPlatform
  let hook: CallbackDouble
  let alice: string
  let members: string[]
  let running: RunningService[] = []

  before(async () => {
    ;[platform, hook] = await Promise.all([startPushPlatform(), startCallback()])
    alice = await platform.newUser()
    members = []
    for (let i = 0; i < devices; i++) members.push(await platform.newUser())
    await addDevices(platform.db, platform.app, members, ['ios', 'fcm'])
  })
  after(async () => {
    await platform.stop()
    await hook.stop()
  })
  beforeEach(async () => {
    await Promise.all(running.map((push) => push.stop()))
    running = []
    platform.apns.behave = () => undefined
    platform.fcm.behave = () => undefined
    hook.behave = () => undefined
    platform.apns.pushes = []
    platform.fcm.pushes = []
  })

  /** How often each push was taken by a network, by message and device. */
  function counts(): Map<string, number> {
    const all = new Map<string, number>()
    const pushes = [
      ...platform.apns.pushes.map(({ token, payload }) => `${payload.messageID} ${token}`),
      ...platform.fcm.pushes.map(({ token, message }) => `${message.data.messageID} ${token}`),
    ]
    for (const one of pushes) all.set(one, (all.get(one) ?? 0) + 1)
    return all
  }
  const taken = () => platform.apns.pushes.length + platform.fcm.pushes.length
  const expected = (messages: readonly string[]) =>
    messages.flatMap((message) => members.flatMap((user) => [`${message} ${user}-ios`, `${message} ${user}-fcm`]))
  const nothingWaits = async () =>
    (await platform.db.pushes.countDocuments({ dueAtMS: { $exists: true } })) === 0 &&
    (await Promise.all(running.map((push) => platform.metric(push, /^parley_push_in_flight\{.*(apns|fcm)/)))).every(
      (count) => count === 0,
    )

  test('while the networks hold their answers back: what they have is not sent again, the rest is sent once', async () => {
    const held = ['fcm', 'apns'] as const
    const first = await platform.startPush({ PARLEY_PUSH_CONCURRENCY: '40' })
    const warmUp = { clients: [members[0]], payload: { alert: 'x', body: 'x' } }
    await platform.admin('POST', '/push/push2clients', warmUp)
    await eventually('both networks are reached', () => held.every((name) => platform[name].pushes.length === 1))
    for (const name of held) {
      platform[name].pushes = []
      platform[name].behave = () => 'hang' as const
    }
    const room = await platform.newRoom([alice, ...members])
    const message = await platform.send(room, alice)
    await eventually('both networks have as many as may be under way', () =>
      held.every((name) => platform[name].pushes.length === 40),
    )
    await first.kill()
    for (const name of held) platform[name].behave = () => undefined
    running = await Promise.all([platform.startPush(), platform.startPush()])
    await eventually('all devices', () => counts().size === 2 * devices)
    await eventually('nothing waits', nothingWaits)
    assert.deepEqual(
      [...counts()].filter(([, count]) => count !== 1),
      [],
      'pushed more than once',
    )
    assert.deepEqual(new Set(counts().keys()), new Set(expected([message])))
  })

  test('again and again, of several at once, in the middle of a flood: no device gets a message twice', async () => {
    platform.apns.behave = () => ({ lateMS: 15 })
    platform.fcm.behave = () => ({ lateMS: 15 })
    running = await Promise.all([platform.startPush(), platform.startPush(), platform.startPush()])
    const room = await platform.newRoom([alice, ...members])
    const messages: string[] = []
    const flood = { on: true }
    const sending = (async () => {
      while (flood.on) {
        messages.push(await platform.send(room, alice))
        // Not more than the doubles, which share the machine, can keep up with.
        await eventually('they keep up', () => taken() > (messages.length - 12) * 2 * devices, 60)
      }
    })()
    let kills = 0
    for (; kills < 4; kills++) {
      const seen = taken()
      await eventually('pushes flow', () => taken() > seen + 200, 60)
      await running.shift()?.kill()
      running.push(await platform.startPush())
    }
    flood.on = false
    await sending
    // What a killed process had taken from the stream comes again after a while.
    await eventually(
      'every message is handled and nothing waits',
      async () => {
        const noted = await platform.db.pushes.countDocuments({ content: { $regex: messages.join('|') } })
        return noted === messages.length * 2 * devices && (await nothingWaits())
      },
      60,
    )

    assert.deepEqual(
      [...counts()].filter(([, count]) => count !== 1),
      [],
      'pushed more than once',
    )
    const sent = counts()
    const missing = expected(messages).filter((one) => !sent.has(one))
    // At the moment of a kill: those that were taken and not on the wire yet, and what a broken connection still held
    // for a busy double. Nobody can tell them from those that arrived.
    assert.ok(missing.length <= kills * 2 * 4 * perTake, `${missing.length} of ${messages.length * 2 * devices}`)
  })

  test('stopped in order, one after the other in the middle of a flood: every device gets every message once', async () => {
    platform.apns.behave = () => ({ lateMS: 15 })
    platform.fcm.behave = () => ({ lateMS: 15 })
    running = await Promise.all([platform.startPush(), platform.startPush()])
    const room = await platform.newRoom([alice, ...members])
    const messages: string[] = []
    const flood = { on: true }
    const sending = (async () => {
      while (flood.on) {
        messages.push(await platform.send(room, alice))
        await eventually('they keep up', () => taken() > (messages.length - 6) * 2 * devices, 60)
      }
    })()
    for (let stops = 0; stops < 3; stops++) {
      const seen = taken()
      await eventually('pushes flow', () => taken() > seen + 200, 60)
      running.push(await platform.startPush())
      await running.shift()?.stop()
    }
    flood.on = false
    await sending
    const all = expected(messages)
    await eventually('all devices', () => taken() >= all.length && counts().size === all.length, 60)
    await eventually('nothing waits', nothingWaits)
    assert.deepEqual(
      [...counts()].filter(([, count]) => count !== 1),
      [],
      'pushed more than once',
    )
  })

  test('NATS dies in the middle: every device gets every message once', async () => {
    running = await Promise.all([platform.startPush(), platform.startPush()])
    const room = await platform.newRoom([alice, ...members])
    const messages = []
    for (let i = 0; i < 3; i++) messages.push(await platform.send(room, alice))
    await platform.servers.nats.kill()
    for (let i = 0; i < 3; i++) messages.push(await platform.send(room, alice))
    await platform.servers.nats.restart()
    const all = expected(messages)
    await eventually('all devices', () => taken() >= all.length && counts().size === all.length, 90)
    await eventually('nothing waits', nothingWaits)
    assert.deepEqual(
      [...counts()].filter(([, count]) => count !== 1),
      [],
      'pushed more than once',
    )
  })

  test('MongoDB dies in the middle: every device gets every message', async () => {
    running = await Promise.all([platform.startPush(), platform.startPush()])
    platform.apns.behave = () => ({ lateMS: 10 })
    const room = await platform.newRoom([alice, ...members])
    const messages = []
    for (let i = 0; i < 5; i++) messages.push(await platform.send(room, alice))
    await eventually('pushes flow', () => taken() > devices)
    await platform.servers.mongo.kill()
    await platform.servers.mongo.restart()
    const all = expected(messages)
    await eventually('all devices', () => taken() >= all.length && counts().size === all.length, 90)
    assert.deepEqual(new Set(counts().keys()), new Set(all))
  })

  test('in the middle of calls to a webhook: each is made, in order, a repeated one with the same webhook-id', async () => {
    const env = { PARLEY_PUSH_CALL_TIMEOUT_MS: '1000' }
    running = await Promise.all([platform.startPush(env), platform.startPush(env)])
    hook.behave = () => ({ lateMS: 3 })
    const rooms = await Promise.all(
      [1, 2].map((i) => platform.newRoom([alice], { webhook: `${hook.url}/${i}`, name: String(i) })),
    )
    const count = 120
    const sending = Promise.all(
      rooms.map(async (room) => {
        for (let i = 1; i <= count; i++) await platform.send(room, alice, { push: false })
      }),
    )
    for (let kills = 0; kills < 2; kills++) {
      const seen = hook.calls.length
      await eventually('calls flow', () => hook.calls.length > seen + 30, 60)
      await running.shift()?.kill()
      running.push(await platform.startPush(env))
    }
    await sending
    const callsOf = (path: string) => hook.calls.filter((one) => one.path === path && one.body.event === 'MESSAGE')
    const seqs = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => Number(body.data.seq))
    for (const path of ['/1', '/2']) {
      await eventually('all calls', () => new Set(seqs(callsOf(path))).size === count, 120)
      const calls = callsOf(path)
      const once = calls.filter(({ headers }, i) => {
        const id = headers['webhook-id']
        return calls.findIndex((other) => other.headers['webhook-id'] === id) === i
      })
      assert.deepEqual(
        seqs(once),
        Array.from({ length: count }, (_, i) => i + 1),
        'in order, each under one webhook-id',
      )
      assert.ok(calls.length <= count + 2, `${calls.length - count} calls were repeated`)
    }
  })
})
