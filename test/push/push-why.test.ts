import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { makeApp } from '@parley/local/make-app'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { addDevices, type PushPlatform, startPushPlatform } from './test-push-platform.ts'

/** The error code of a response. */
const codeOf = (body: object) => (body as { error?: { code: string } }).error?.code

interface Why {
  recorded: boolean
  reason?: string
  devices: Record<string, unknown>[]
  call?: Record<string, unknown>
}

describe('GET /admin/push/why', () => {
  let platform: PushPlatform
  let alice: string

  beforeAll(async () => {
    platform = await startPushPlatform()
    await platform.startPush({ PARLEY_PUSH_AWAY_MS: '3600000' })
    alice = await platform.newUser(['ios'])
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.apns.behave = () => undefined
    platform.fcm.behave = () => undefined
  })

  const why = async (message: string, client: string): Promise<Why> => {
    const query = `message=${message}&client=${encodeURIComponent(client)}`
    return (await platform.admin('GET', `/admin/push/why?${query}`)) as unknown as Why
  }
  /** Waits for the record of a decision. */
  async function decided(message: string, client: string, isIt: (found: Why) => boolean = () => true): Promise<Why> {
    let found: Why | undefined
    await eventually(`the decision for ${client}`, async () => {
      found = await why(message, client)
      return found.recorded && isIt(found)
    })
    return found as Why
  }
  const outcomes = ({ devices }: Why) => devices.map(({ outcome }) => outcome)

  test('shows for each device the network, the time and the content of its push', async () => {
    const bob = await platform.newUser(['ios', 'fcm'])
    const room = await platform.newRoom([alice, bob])
    const before = Date.now()
    const message = await platform.send(room, alice)
    const found = await decided(message, bob, (it) => outcomes(it).every((outcome) => outcome === 'sent'))
    assert.equal(found.reason, undefined)
    const byNetwork = new Map(found.devices.map((device) => [device['network'], device]))
    const [apns, fcm] = [byNetwork.get('apns'), byNetwork.get('fcm')]
    assert.equal(apns?.['deviceId'], `ios of ${bob}`)
    const wire = platform.apns.pushes.find(({ payload }) => payload.messageID === message)
    assert.equal(apns['id'], wire?.headers['apns-id'])
    assert.equal(fcm?.['deviceId'], `fcm of ${bob}`)
    assert.match(String(fcm['id']), /^projects\/[^/]+\/messages\/.+/)
    for (const device of found.devices) {
      assert.ok(Number(device['atMS']) >= before && Number(device['atMS']) <= Date.now())
      assert.doesNotMatch(JSON.stringify(device), new RegExp(`${bob}-ios|${bob}-fcm`), 'no token of a device')
    }
  })

  test('an away device gets the push after a delay, unless it is used again or the message is read', async () => {
    const bob = await platform.newUser(['fcm'])
    const room = await platform.newRoom([alice, bob])
    const realtime = await platform.start('realtime')
    const socket = await connectClient(realtime.url, platform.tokenOf(bob), { deviceId: `fcm of ${bob}` })
    const setAway = async (away: boolean) => assert.equal((await socket.emitWithAck('away', { away })).RC, 0)
    const deviceOf = async (message: string) => (await decided(message, bob)).devices[0] ?? {}
    /** Sends a message whose push waits until bob has been away for an hour. */
    const waiting = async (): Promise<string> => {
      await setAway(true)
      let message = ''
      await eventually('the push service knows that the device is away', async () => {
        message = await platform.send(room, alice)
        return (await deviceOf(message))['outcome'] === 'waiting'
      })
      return message
    }
    /** Ends the hour of waiting; returns the device's outcome. */
    const passed = async (message: string) => {
      const content = key(platform.app, message)
      const { matchedCount } = await platform.db.pushes.updateMany({ content }, { $set: { dueAtMS: Date.now() } })
      assert.equal(matchedCount, 1)
      await eventually('the push is decided', async () => (await deviceOf(message))['outcome'] !== 'waiting')
      await eventually('the push is over', async () => (await deviceOf(message))['outcome'] !== 'sending')
      return deviceOf(message)
    }

    const first = await waiting()
    assert.ok(Number((await deviceOf(first))['nextTryAtMS']) > Date.now() + 3_000_000)
    assert.equal((await passed(first))['outcome'], 'sent')

    const second = await waiting()
    await setAway(false)
    await eventually('the push service knows that the device is in use', async () => {
      return (await deviceOf(await platform.send(room, alice)))['reason'] === 'CONNECTED'
    })
    assert.partialDeepStrictEqual(await passed(second), { outcome: 'given up', reason: 'connected' })

    const third = await waiting()
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message: third })
    assert.partialDeepStrictEqual(await passed(third), { outcome: 'given up', reason: 'read' })
    socket.disconnect()
    await realtime.stop()
  })

  test('gives the reason why none of a user’s devices got a push', async () => {
    const [robot, banned, banished, muted, blocker, without, reached] = [
      await platform.newUser(['ios'], { isRobot: true }),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
      await platform.newUser(),
      await platform.newUser(['ios']),
    ]
    const [late, stranger] = [await platform.newUser(['ios']), await platform.newUser(['ios'])]
    const members = [alice, robot, banned, banished, muted, blocker, without, reached]
    const room = await platform.newRoom(members, { owner: alice })
    await platform.as(alice, 'POST', `/blockStatus/room/${room}/${banned}`)
    await platform.admin('POST', `/admin/clients/${banished}/ban`, {})
    await platform.as(blocker, 'POST', `/blockStatus/my/${alice}`)
    await platform.as(muted, 'POST', `/me/mute/${room}`)
    const message = await platform.send(room, alice)
    await decided(message, reached, (it) => outcomes(it).includes('sent'))
    await platform.admin('POST', `/rooms/${room}/members`, { invitees: [late] })
    // Later changes do not affect a recorded decision.
    await platform.as(muted, 'DELETE', `/me/mute/${room}`)
    await addDevices(platform.db, platform.app, [without], ['ios'])
    const expected: [string, string][] = [
      [alice, 'SENDER'],
      [robot, 'ROBOT'],
      [banned, 'BANNED'],
      [banished, 'BANNED'],
      [muted, 'MUTED'],
      [blocker, 'BLOCKED'],
      [without, 'NO_DEVICE'],
      [late, 'NOT_A_MEMBER'],
      [stranger, 'NOT_A_MEMBER'],
    ]
    for (const [client, reason] of expected) {
      const found = await why(message, client)
      assert.deepEqual([found.recorded, found.reason], [true, reason])
      const network = { network: 'apns', outcome: 'not sent', reason }
      assert.deepEqual(found.devices, [{ deviceId: `ios of ${client}`, ...network }])
    }
    const silent = await why(await platform.send(room, alice, { push: false }), reached)
    assert.deepEqual([silent.recorded, silent.reason], [true, 'PUSH_FALSE'])
  })

  test('gives the user’s setting that suppressed a push, also of a waiting push', async () => {
    const [quiet, choosy, reached] = [
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
    ]
    const room = await platform.newRoom([alice, quiet, choosy, reached])
    const allDay = { timeZone: 'Asia/Tokyo', times: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }] }
    await platform.as(quiet, 'PUT', '/me/notifications', { doNotDisturb: allDay })
    await platform.as(choosy, 'PUT', `/me/notifications/rooms/${room}`, { level: 'mentions' })
    const plain = await platform.send(room, alice)
    await decided(plain, reached, (it) => outcomes(it).includes('sent'))
    assert.deepEqual(
      [(await why(plain, quiet)).reason, (await why(plain, choosy)).reason],
      ['DO_NOT_DISTURB', 'LEVEL_OF_ROOM'],
    )
    const toAll = await platform.send(room, alice, { mentions: ['@room'] })
    await decided(toAll, choosy, (it) => outcomes(it).includes('sent'))
    const wire = platform.apns.pushes.find(
      ({ payload, token }) => payload.messageID === toAll && token.startsWith(choosy),
    )
    assert.match(JSON.stringify(wire?.payload.aps.alert), /"loc-key":"im_loc_mention"/)

    platform.apns.behave = () => ({ status: 503, reason: 'ServiceUnavailable', headers: { 'retry-after': '1' } })
    const waiting = await platform.send(room, alice)
    await decided(waiting, reached, ({ devices }) => devices[0]?.['lastError'] !== undefined)
    await platform.as(reached, 'PUT', '/me/notifications', { level: 'none' })
    platform.apns.behave = () => undefined
    const found = await decided(waiting, reached, (it) => outcomes(it).includes('given up'))
    assert.equal(found.devices[0]?.['reason'], 'level of user')
  })

  test('shows that a message is still being streamed', async () => {
    const [robot, bob] = [await platform.newUser([], { isRobot: true }), await platform.newUser(['ios'])]
    const room = await platform.newRoom([robot, bob])
    const body = { room, sender: robot, messageType: 'text' }
    const message = String((await platform.admin('POST', '/messages/stream', body))['_id'])
    const before = await why(message, bob)
    assert.deepEqual([before.recorded, before.reason], [false, 'STREAMING'])
    await platform.admin('POST', `/messages/${message}/stream/end`, { message: 'all of it' })
    await decided(message, bob, (it) => outcomes(it).includes('sent'))
  })

  test('shows that a device was connected', async () => {
    const bob = await platform.newUser(['ios', 'fcm'])
    const room = await platform.newRoom([alice, bob])
    const node = await platform.start('realtime')
    let socket: Socket | undefined
    try {
      const user = { id: bob, token: platform.tokenOf(bob), headers: {}, call: () => assert.fail() }
      socket = await platform.connect(node, user, { deviceId: `ios of ${bob}` })
      const message = await platform.send(room, alice)
      const found = await decided(message, bob, (it) => outcomes(it).includes('sent'))
      assert.deepEqual(
        found.devices.find(({ deviceId }) => deviceId === `ios of ${bob}`),
        { deviceId: `ios of ${bob}`, outcome: 'not sent', reason: 'CONNECTED' },
      )
      const carol = await platform.newUser(['ios'])
      const other = await platform.newRoom([alice, bob, carol])
      for (const user of [bob, carol]) await platform.as(user, 'PUT', '/me/notifications', { level: 'mentions' })
      const here = await platform.send(other, alice, { mentions: ['@here'] })
      await decided(here, bob, (it) => outcomes(it).includes('sent'))
      assert.equal((await why(here, carol)).reason, 'LEVEL_OF_USER', '@here mentions connected users')
    } finally {
      socket?.close()
      await node.stop()
    }
  })

  test('shows that the network refused a push, and whether the token was removed', async () => {
    const [bob, carol] = [await platform.newUser(['ios']), await platform.newUser(['ios'])]
    const room = await platform.newRoom([alice, bob, carol])
    platform.apns.behave = ({ token }) => {
      if (token === `${bob}-ios`) return { status: 400, reason: 'PayloadEmpty' }
      return token === `${carol}-ios` ? { status: 410, reason: 'Unregistered' } : undefined
    }
    const message = await platform.send(room, alice)
    const isRefused = (it: Why) => outcomes(it).includes('refused')
    const [refused] = (await decided(message, bob, isRefused)).devices
    assert.deepEqual([refused?.['reason'], refused?.['tokenRemoved']], ['PayloadEmpty', undefined])
    const [dead] = (await decided(message, carol, isRefused)).devices
    assert.deepEqual([dead?.['reason'], dead?.['tokenRemoved']], ['Unregistered', true])
  })

  test('shows that a push waits for a retry, with the last error, and later that it was sent', async () => {
    const bob = await platform.newUser(['ios'])
    const room = await platform.newRoom([alice, bob])
    platform.apns.behave = () => ({ status: 503, reason: 'ServiceUnavailable', headers: { 'retry-after': '4' } })
    const message = await platform.send(room, alice)
    const [waiting] = (await decided(message, bob, ({ devices }) => devices[0]?.['lastError'] !== undefined)).devices
    assert.deepEqual(
      [waiting?.['outcome'], waiting?.['tries'], waiting?.['lastError']],
      ['waiting', 1, 'ServiceUnavailable'],
    )
    assert.ok(Number(waiting?.['nextTryAtMS']) > Date.now() - 60_000)
    platform.apns.behave = () => undefined
    await decided(message, bob, (it) => outcomes(it).includes('sent'))
  })

  test('finds a user beyond the first page of members', async () => {
    const users = Array.from({ length: 1_100 }, (_, i) => `member ${i} of many`)
    for (let i = 0; i < users.length; i += 550) {
      const data = users.slice(i, i + 550).map((_id) => ({ _id }))
      await platform.admin('POST', '/admin/clients/list', { data })
    }
    const room = await platform.newRoom([alice, ...users])
    await addDevices(platform.db, platform.app, users.slice(-1), ['fcm'])
    const message = await platform.send(room, alice)
    const last = users.at(-1) ?? ''
    await decided(message, last, (it) => outcomes(it).includes('sent'))
    for (const user of [users[0] ?? '', users[600] ?? '', users.at(-2) ?? '']) {
      assert.equal((await decided(message, user)).reason, 'NO_DEVICE')
    }
  })

  test("covers only messages and users of the caller's app", async () => {
    const room = await platform.newRoom([alice])
    const message = await platform.send(room, alice)
    const other = await makeApp(platform.servers.mongoUrl, `other than ${platform.app}`)
    const ask = (query: string, apiKey: string) =>
      call(platform.gateway.url, 'GET', `/admin/push/why?${query}`, { 'im-api-key': apiKey })
    const elsewhere = await ask(`message=${message}&client=${alice}`, other.apiKey)
    assert.deepEqual([elsewhere.status, codeOf(elsewhere.body)], [404, 'MESSAGE_NOT_FOUND'])
    for (const [query, status, code] of [
      [`message=nothing&client=${alice}`, 404, 'MESSAGE_NOT_FOUND'],
      [`message=${message}&client=nobody`, 404, 'CLIENT_NOT_FOUND'],
      [`message=${message}`, 400, 'INVALID_QUERY'],
    ] as const) {
      const { status: got, body } = await ask(query, platform.apiKey)
      assert.deepEqual([got, codeOf(body)], [status, code])
    }
  })
})

describe('GET /admin/push/why with PUSH_GENERIC, and without any network', () => {
  let platform: PushPlatform
  let push: RunningService | undefined
  beforeAll(async () => {
    platform = await startPushPlatform()
  })
  afterAll(() => platform.stop())
  const why = (message: string, client: string) =>
    platform.admin('GET', `/admin/push/why?message=${message}&client=${client}`)

  test('names the call to the integrator’s backend, or the current reason', async () => {
    const [alice, bob, carol] = [await platform.newUser(), await platform.newUser(['ios']), await platform.newUser()]
    const dave = await platform.newUser()
    const room = await platform.newRoom([alice, bob, carol, dave])
    await platform.as(dave, 'PUT', '/me/notifications', { level: 'none' })
    await platform.as(carol, 'POST', `/me/mute/${room}`)
    const early = await platform.send(room, alice)
    assert.deepEqual(
      await Promise.all(
        [alice, bob, carol].map(async (client) => {
          const { recorded, reason } = await why(early, client)
          return [recorded, reason]
        }),
      ),
      [
        [false, 'SENDER'],
        [false, 'NOT_RECORDED'],
        [false, 'MUTED'],
      ],
    )
    // A port without a listener.
    push = await platform.startPush({ PUSH_GENERIC: 'http://127.0.0.1:9/push' })
    const message = await platform.send(room, alice)
    let found: Record<string, unknown> = {}
    await eventually('a failed try', async () => {
      found = await why(message, bob)
      return Number((found['call'] as { tries?: number } | undefined)?.tries) > 0
    })
    const { id, state, lastError } = found['call'] as Record<string, unknown>
    assert.deepEqual([found['reason'], found['recorded'], state], ['PUSH_GENERIC', true, 'waiting'])
    assert.deepEqual([id, lastError], [`push_${message}`, 'ECONNREFUSED'])
    assert.equal((await why(message, carol))['reason'], 'MUTED')
    assert.equal((await why(message, dave))['reason'], 'LEVEL_OF_USER')
    await push.stop()
  })
})
