import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type CallbackDouble, type ReceivedCall, startCallback } from '../doubles/callback.ts'
import { eventually, type RunningService } from '../platform.ts'
import { addDevices, type PushPlatform, startPushPlatform } from './test-push-platform.ts'

const devices = 40
/** Pushes that a process claims at once, per network. */
const perTake = 5

/** A long timeout: a double that stalls on a busy machine must not cause a retry, since it may have accepted the push. */
const patient = { PARLEY_PUSH_NETWORK_TIMEOUT_MS: '60000' }

describe('a push service that dies by kill -9', () => {
  let platform: PushPlatform
  let hook: CallbackDouble
  let alice: string
  let members: string[]
  let running: RunningService[] = []

  beforeAll(async () => {
    ;[platform, hook] = await Promise.all([startPushPlatform({ toKill: ['mongo', 'nats'] }), startCallback()])
    alice = await platform.newUser()
    members = []
    for (let i = 0; i < devices; i++) members.push(await platform.newUser())
    await addDevices(platform.db, platform.app, members, ['ios', 'fcm'])
  })
  afterAll(async () => {
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

  /** Accepted pushes by message and device. */
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

  const assertOnce = () =>
    assert.deepEqual(
      [...counts()].filter(([, count]) => count !== 1),
      [],
      'pushed more than once',
    )
  /** Waits until every device has every message exactly once and nothing is pending. */
  async function eachOnce(messages: readonly string[]): Promise<void> {
    const all = expected(messages)
    await eventually('all devices', () => taken() >= all.length && counts().size === all.length)
    await eventually('nothing waits', nothingWaits)
    assertOnce()
  }

  test('while the networks delay their responses does not repeat accepted pushes, and the rest is sent once', async () => {
    const held = ['fcm', 'apns'] as const
    const first = await platform.startPush({ ...patient, PARLEY_PUSH_CONCURRENCY: '25' })
    const warmUp = { clients: [members[0]], payload: { alert: 'x', body: 'x' } }
    await platform.admin('POST', '/push/push2clients', warmUp)
    await eventually('both networks are reached', () => held.every((name) => platform[name].pushes.length === 1))
    for (const name of held) {
      platform[name].pushes = []
      platform[name].behave = () => 'hang' as const
    }
    const room = await platform.newRoom([alice, ...members])
    const message = await platform.send(room, alice)
    await eventually('both networks have as many as may be in flight', () =>
      held.every((name) => platform[name].pushes.length === 25),
    )
    await first.kill()
    for (const name of held) platform[name].behave = () => undefined
    running = await Promise.all([platform.startPush(patient), platform.startPush(patient)])
    await eventually('all devices', () => counts().size === 2 * devices)
    await eventually('nothing waits', nothingWaits)
    assertOnce()
    assert.deepEqual(new Set(counts().keys()), new Set(expected([message])))
  })

  test('repeatedly, several at once, during a flood: no device gets a message twice', async () => {
    platform.apns.behave = () => ({ lateMS: 15 })
    platform.fcm.behave = () => ({ lateMS: 15 })
    running = await Promise.all([platform.startPush(patient), platform.startPush(patient), platform.startPush(patient)])
    const room = await platform.newRoom([alice, ...members])
    const messages: string[] = []
    const flood = { on: true }
    const sending = (async () => {
      while (flood.on) {
        messages.push(await platform.send(room, alice))
        // A rate that the doubles on the same machine can sustain.
        await eventually('they keep up', () => taken() > (messages.length - 12) * 2 * devices)
      }
    })()
    let kills = 0
    for (; kills < 3; kills++) {
      const seen = taken()
      await eventually('pushes flow', () => taken() > seen + 200)
      await running.shift()?.kill()
      running.push(await platform.startPush(patient))
    }
    flood.on = false
    await sending
    // The stream redelivers the events that a killed process had taken.
    await eventually('every message is handled and nothing waits', async () => {
      const noted = await platform.db.pushes.countDocuments({ content: { $regex: messages.join('|') } })
      return noted === messages.length * 2 * devices && (await nothingWaits())
    })

    assert.deepEqual(
      [...counts()].filter(([, count]) => count !== 1),
      [],
      'pushed more than once',
    )
    const sent = counts()
    const missing = expected(messages).filter((one) => !sent.has(one))
    // A kill loses pushes that were claimed but not sent, and those in a broken connection to a busy double, since they cannot be
    // told apart from pushes that arrived.
    assert.ok(missing.length <= kills * 2 * 4 * perTake, `${missing.length} of ${messages.length * 2 * devices}`)
  })

  test('restarted one after the other by SIGTERM during a flood: every device gets every message once', async () => {
    platform.apns.behave = () => ({ lateMS: 15 })
    platform.fcm.behave = () => ({ lateMS: 15 })
    running = await Promise.all([platform.startPush(patient), platform.startPush(patient)])
    const room = await platform.newRoom([alice, ...members])
    const messages: string[] = []
    const flood = { on: true }
    const sending = (async () => {
      while (flood.on) {
        messages.push(await platform.send(room, alice))
        await eventually('they keep up', () => taken() > (messages.length - 6) * 2 * devices)
      }
    })()
    for (let stops = 0; stops < 3; stops++) {
      const seen = taken()
      await eventually('pushes flow', () => taken() > seen + 200)
      running.push(await platform.startPush(patient))
      await running.shift()?.stop()
    }
    flood.on = false
    await sending
    await eachOnce(messages)
  })

  test('while NATS dies too: every device gets every message once', async () => {
    running = await Promise.all([platform.startPush(patient), platform.startPush(patient)])
    const room = await platform.newRoom([alice, ...members])
    const messages = []
    for (let i = 0; i < 3; i++) messages.push(await platform.send(room, alice))
    await platform.servers.nats.kill()
    for (let i = 0; i < 3; i++) messages.push(await platform.send(room, alice))
    await platform.servers.nats.restart()
    await eachOnce(messages)
  })

  test('while MongoDB dies too: every device gets every message', async () => {
    running = await Promise.all([platform.startPush(patient), platform.startPush(patient)])
    platform.apns.behave = () => ({ lateMS: 10 })
    const room = await platform.newRoom([alice, ...members])
    const messages = []
    for (let i = 0; i < 5; i++) messages.push(await platform.send(room, alice))
    await eventually('pushes flow', () => taken() > devices)
    await platform.servers.mongo.kill()
    await platform.servers.mongo.restart()
    const all = expected(messages)
    await eventually('all devices', () => taken() >= all.length && counts().size === all.length)
    assert.deepEqual(new Set(counts().keys()), new Set(all))
  })

  test('during webhook calls: each is made, in order, and retried with the same webhook-id', async () => {
    const env = { PARLEY_PUSH_CALL_TIMEOUT_MS: '6000' }
    running = await Promise.all([platform.startPush(env), platform.startPush(env)])
    hook.behave = () => ({ lateMS: 3 })
    const rooms = await Promise.all(
      [1, 2].map((i) => platform.newRoom([alice], { webhook: `${hook.url}/${i}`, name: String(i) })),
    )
    const callsOf = (path: string) => hook.calls.filter((one) => one.path === path && one.body.event === 'MESSAGE')
    const sending = { on: true }
    // Send while services are killed, only so far ahead that calls are always pending.
    const sent = Promise.all(
      rooms.map(async (room, i) => {
        let count = 0
        while (sending.on) {
          await platform.send(room, alice, { push: false })
          count++
          await eventually('calls keep up', () => count - callsOf(`/${i + 1}`).length < 40)
        }
        return count
      }),
    )
    for (let kills = 0; kills < 2; kills++) {
      const seen = hook.calls.length
      await eventually('calls flow', () => hook.calls.length > seen + 30)
      await running.shift()?.kill()
      running.push(await platform.startPush(env))
    }
    sending.on = false
    const counts = await sent
    const seqs = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => Number(body.data.seq))
    for (const [i, count] of counts.entries()) {
      const path = `/${i + 1}`
      await eventually('all calls', () => new Set(seqs(callsOf(path))).size === count)
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
