import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { openHanging } from './hanging-proxy.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('PUSH_GENERIC, for users who seem to be online', () => {
  const hourMS = 60 * 60 * 1_000
  let platform: PushPlatform
  let server: CallbackDouble
  let realtime: RunningService
  /** Its connections end later. */
  let patient: RunningService
  let alice: string
  beforeAll(async () => {
    ;[platform, server] = await Promise.all([startPushPlatform(), startCallback()])
    const startNode = (timeoutMS: string) =>
      platform.start('realtime', {
        PARLEY_REALTIME_PING_INTERVAL_MS: '1500',
        PARLEY_REALTIME_PING_TIMEOUT_MS: timeoutMS,
      })
    await platform.startPush({ PUSH_GENERIC: server.url, PARLEY_PUSH_AWAY_MS: `${hourMS}` })
    ;[realtime, patient] = await Promise.all([startNode('5000'), startNode('15000')])
    alice = await platform.newUser()
  })
  afterAll(async () => {
    await platform.stop()
    await server.stop()
  })

  const connect = (user: string, url = realtime.url, device = 'phone') =>
    connectClient(url, platform.tokenOf(user), { deviceId: `${device} of ${user}` })
  const calledFor = (message: string) =>
    server.calls.flatMap(({ body }) => (body._id === message ? [[body.pushToClients, body.because]] : []))
  const read = (user: string, room: string, message: string) =>
    platform.as(user, 'PUT', `/rooms/${room}/lastRead`, { message })
  /** The calls about a message that were not needed any more. */
  const notMade = async (message: string) => {
    const found = await platform.db.outgoingCalls.find({ _id: { $regex: message }, state: 'done' }).toArray()
    return found.map(({ lastError, tries }) => [lastError, tries])
  }
  const unneeded = [['no recipients left', 0]]
  const isIn = (user: string, state: string) =>
    eventually(`one is ${state}`, async () => {
      const { clients } = await platform.as(alice, 'GET', `/presence?clients=${user}`)
      return (clients as { state: string }[])[0]?.state === state
    })
  /** Waits for the call about away users. It is due late, so that there is time to come back. */
  const awayCallWaits = async (message: string) => {
    const _id = `push_${message}_away`
    const { dueAtMS } = await eventually('a call waits', () => platform.db.callQueues.findOne({ _id }))
    assert.ok(dueAtMS > Date.now())
    return {
      makeDue: async () => {
        // Calls that have not waited are made as they are.
        await platform.db.outgoingCalls.updateOne({ _id }, { $inc: { createdAtMS: -60_000 } })
        await platform.db.callQueues.updateOne({ _id }, { $set: { dueAtMS: Date.now() } })
      },
    }
  }

  test('is called for a half-open connection, once, unless the message was read', async () => {
    const bob = await platform.newUser()
    const [room, other] = [await platform.newRoom([alice, bob]), await platform.newRoom([alice, bob])]
    const proxy = await openHanging(realtime)
    const [socket, second] = [await connect(bob, proxy.url), await connect(bob, proxy.url)]
    proxy.hang()
    const [lost, seen] = [await platform.send(room, alice), await platform.send(other, alice)]
    await read(bob, other, seen)
    await eventually('the call', () => calledFor(lost).length > 0)
    const next = await platform.send(room, alice)
    await eventually('the next call', () => calledFor(next).length > 0)
    await eventually('the other is dropped', async () => isDeepStrictEqual(await notMade(seen), unneeded))
    assert.deepEqual(
      [calledFor(lost), calledFor(next), calledFor(seen)],
      [[[[bob], 'half-open']], [[[bob], undefined]], []],
    )
    const why = await platform.admin('GET', `/admin/push/why?message=${lost}&client=${bob}`)
    assert.partialDeepStrictEqual(why, { reason: 'PUSH_GENERIC', call: { state: 'done' } })
    const { data } = await platform.admin('GET', '/admin/webhooks/failed')
    assert.deepEqual(data, [])
    socket.close()
    second.close()
    await proxy.stop()
  })

  test('is called once the last of several half-open connections ends', async () => {
    const bob = await platform.newUser()
    const room = await platform.newRoom([alice, bob])
    const proxies = await Promise.all([realtime, patient].map(openHanging))
    const sockets = await Promise.all(proxies.map(({ url }, index) => connect(bob, url, `device ${index}`)))
    for (const proxy of proxies) proxy.hang()
    const lost = await platform.send(room, alice)
    await eventually('the call', () => calledFor(lost).length > 0)
    await eventually(
      'it is done',
      async () => (await platform.db.callQueues.findOne({ _id: { $regex: lost } })) === null,
    )
    assert.deepEqual(calledFor(lost), [[[bob], 'half-open']])
    for (const socket of sockets) socket.close()
    for (const proxy of proxies) await proxy.stop()
  })

  test('is called for half-open connections beside away ones, and once for a connection that was away before', async () => {
    const [bob, carol] = [await platform.newUser(), await platform.newUser()]
    const room = await platform.newRoom([alice, bob, carol])
    const proxy = await openHanging(realtime)
    const desktop = await connect(bob, patient.url, 'desktop')
    const suspended = await connect(carol, proxy.url)
    for (const socket of [desktop, suspended]) await socket.emitWithAck('away', { away: true })
    for (const user of [bob, carol]) await isIn(user, 'away')
    const phone = await connect(bob, proxy.url)
    await isIn(bob, 'online')
    proxy.hang()
    const message = await platform.send(room, alice)
    const { makeDue } = await awayCallWaits(message)
    await eventually('the call of the phone', () => calledFor(message).length > 0)
    await makeDue()
    await eventually('the other call', () => calledFor(message).length > 1)
    assert.deepEqual(calledFor(message), [
      [[bob], 'half-open'],
      [[carol], 'away'],
    ])
    assert.equal(await platform.db.outgoingCalls.countDocuments({ _id: { $regex: message } }), 2)
    for (const socket of [desktop, suspended, phone]) socket.close()
    await proxy.stop()
  })

  test('is called for a user whose devices are all away, after a while, unless the message was read', async () => {
    const [bob, carol, dave] = [await platform.newUser(), await platform.newUser(), await platform.newUser()]
    const room = await platform.newRoom([alice, bob, carol, dave])
    const [ofBob, ofCarol, ofDave] = await Promise.all([
      connect(bob, patient.url),
      connect(carol, patient.url),
      connect(dave, patient.url),
    ])
    for (const socket of [ofBob, ofDave]) await socket.emitWithAck('away', { away: true })
    for (const user of [bob, dave]) await isIn(user, 'away')
    const message = await platform.send(room, alice)
    const first = await awayCallWaits(message)
    await read(dave, room, message)
    await first.makeDue()
    await eventually('the call', () => calledFor(message).length > 0)
    assert.deepEqual(calledFor(message), [[[bob], 'away']])
    await ofBob.emitWithAck('away', { away: false })
    await isIn(bob, 'online')
    const back = await platform.send(room, alice)
    const second = await awayCallWaits(back)
    await ofDave.emitWithAck('away', { away: false })
    await isIn(dave, 'online')
    await second.makeDue()
    await eventually('the call is dropped', async () => (await notMade(back)).length > 0)
    assert.deepEqual([calledFor(back), await notMade(back)], [[], unneeded])
    for (const socket of [ofBob, ofCarol, ofDave]) socket.close()
  })
})
