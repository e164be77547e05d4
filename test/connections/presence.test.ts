import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { makeApp } from '@parley/local/make-app'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  call,
  connectClient,
  eventually,
  type Platform,
  type PlatformUser,
  type RunningService,
  startPlatform,
} from '../platform.ts'

interface UserPresence {
  client: string
  state: string
  online?: boolean
  away?: boolean
  lastSeenMS?: number
}

/** The presence of a user that never connected. */
const offline = ({ id }: PlatformUser) => ({ client: id, state: 'offline', online: false, away: false })

/** A connected device, and its presence events. */
interface Device {
  socket: Socket
  heard: UserPresence[]
  /** The users in each event. */
  events: UserPresence[][]
}

describe('presence', () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: [RunningService, RunningService]
  const open: Socket[] = []

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['redis'] })
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
  })
  afterAll(async () => {
    for (const socket of open) socket.close()
    await platform.stop()
  })

  async function connect(user: PlatformUser, node: 0 | 1): Promise<Device> {
    const device: Device = { socket: await platform.connect(nodes[node], user), heard: [], events: [] }
    open.push(device.socket)
    device.socket.on('presence', ({ clients }: { clients: UserPresence[] }) => {
      device.events.push(clients)
      device.heard.push(...clients)
    })
    return device
  }
  const subscribe = async ({ socket }: Device, clients: string[]): Promise<UserPresence[]> => {
    const { RC, result } = await socket.emitWithAck('presence subscribe', { clients })
    assert.equal(RC, 0)
    return result.clients
  }
  const setAway = async ({ socket }: Device, away: boolean) =>
    assert.equal((await socket.emitWithAck('away', { away })).RC, 0)
  const heardLast = ({ heard }: Device, client: string) => heard.findLast((one) => one.client === client)
  const hears = (device: Device, client: string, state: string) =>
    eventually(`${client} is ${state}`, () => heardLast(device, client)?.state === state)
  const read = async (user: PlatformUser, ...clients: string[]): Promise<UserPresence[]> => {
    const query = clients.map((client) => `clients=${encodeURIComponent(client)}`).join('&')
    return (await user.call('GET', `/presence?${query}`))['clients'] as UserPresence[]
  }
  const newUsers = (count: number) => Promise.all(Array.from({ length: count }, () => platform.newUser()))

  test("users of a shared room can be watched; a user's devices count as one; only subscribers get events", async () => {
    const [alice, bob, carol, stranger] = (await newUsers(4)) as [
      PlatformUser,
      PlatformUser,
      PlatformUser,
      PlatformUser,
    ]
    await platform.newRoom([alice.id, bob.id, carol.id])
    const other = await makeApp(platform.servers.mongoUrl, 'another app')
    const inOther = { _id: bob.id, issueAccessToken: true }
    const made = await call(gateway.url, 'POST', '/admin/clients', { 'im-api-key': other.apiKey }, inOther)
    const [watcher, listener] = [await connect(alice, 0), await connect(carol, 0)]

    const begun = await subscribe(watcher, [bob.id, carol.id, stranger.id, 'nobody', bob.id])
    assert.deepEqual(
      new Map(begun.map(({ client, state }) => [client, state])),
      new Map([
        [bob.id, 'offline'],
        [carol.id, 'online'],
      ]),
    )
    assert.deepEqual(
      begun.find(({ client }) => client === bob.id),
      offline(bob),
      'never seen',
    )

    open.push(await connectClient(nodes[1].url, String(made.body.result['token'])))
    const [phone, laptop] = [await connect(bob, 1), await connect(bob, 0)]
    await hears(watcher, bob.id, 'online')
    await setAway(phone, true)
    assert.deepEqual(
      await read(alice, bob.id),
      [{ client: bob.id, state: 'online', online: true, away: false }],
      'the laptop is active',
    )
    await setAway(laptop, true)
    await hears(watcher, bob.id, 'away')
    assert.partialDeepStrictEqual(heardLast(watcher, bob.id), { online: true, away: true })
    await setAway(phone, false)
    await hears(watcher, bob.id, 'online')
    const before = Date.now()
    phone.socket.close()
    await hears(watcher, bob.id, 'away')
    laptop.socket.close()
    await hears(watcher, bob.id, 'offline')
    assert.ok(Number(heardLast(watcher, bob.id)?.lastSeenMS) >= before)
    await eventually('it is written', async () => Number((await read(alice, bob.id))[0]?.lastSeenMS) >= before)
    assert.deepEqual(await read(alice, stranger.id), [])
    assert.deepEqual(await read(stranger, bob.id), [])
    assert.deepEqual(await read(alice, bob.id, stranger.id), await read(carol, bob.id))

    await watcher.socket.emitWithAck('presence unsubscribe', { clients: [bob.id] })
    const heardOfBob = watcher.heard.filter(({ client }) => client === bob.id).length
    await connect(bob, 1)
    listener.socket.close()
    await hears(watcher, carol.id, 'offline')
    assert.equal(watcher.heard.filter(({ client }) => client === bob.id).length, heardOfBob)
    assert.deepEqual(listener.heard, [])
  })

  test('a user that hides, blocks the watcher, no longer shares a room or is erased appears offline', async () => {
    const [alice, hiding, blocking, leaving, erased] = (await newUsers(5)) as [
      PlatformUser,
      PlatformUser,
      PlatformUser,
      PlatformUser,
      PlatformUser,
    ]
    const all = [hiding, blocking, leaving, erased]
    const room = await platform.newRoom([alice.id, ...all.map(({ id }) => id)])
    for (const user of all) await connect(user, 1)
    const watcher = await connect(alice, 0)
    for (const { state } of await subscribe(
      watcher,
      all.map(({ id }) => id),
    ))
      assert.equal(state, 'online')

    const looksOffline = async (user: PlatformUser, act: () => Promise<unknown>) => {
      await act()
      await hears(watcher, user.id, 'offline')
      assert.deepEqual(heardLast(watcher, user.id), offline(user))
    }
    await looksOffline(hiding, () => hiding.call('POST', '/me/pref/hidePresence', { data: true }))
    await looksOffline(blocking, () => blocking.call('POST', `/blockStatus/my/${alice.id}`))
    await looksOffline(leaving, () => leaving.call('POST', `/rooms/${room}/delete/members`, { members: [leaving.id] }))
    await looksOffline(erased, () => platform.admin('DELETE', `/admin/clients/${erased.id}`))
    assert.deepEqual(await read(alice, ...all.map(({ id }) => id)), [hiding, blocking].map(offline))
    await hiding.call('DELETE', '/me/pref/hidePresence')
    await hears(watcher, hiding.id, 'online')
    await blocking.call('DELETE', `/blockStatus/my/${alice.id}`)
    await hears(watcher, blocking.id, 'online')
    await alice.call('POST', `/rooms/${room}/delete/members`, { members: [alice.id] })
    await hears(watcher, hiding.id, 'offline')
    assert.deepEqual(await subscribe(watcher, [hiding.id]), [])
  })

  test('changes of a user within a second are combined into one event', async () => {
    const [alice, bob, carol] = (await newUsers(3)) as [PlatformUser, PlatformUser, PlatformUser]
    await platform.newRoom([alice.id, bob.id, carol.id])
    const devices = [await connect(bob, 1), await connect(carol, 1)] as const
    const watcher = await connect(alice, 0)
    await subscribe(watcher, [bob.id, carol.id])
    const beganMS = performance.now()
    for (let i = 0; i < 20; i++) await Promise.all(devices.map((device) => setAway(device, i % 2 === 0)))
    for (const device of devices) await setAway(device, true)
    for (const { id } of [bob, carol]) await hears(watcher, id, 'away')
    // At most one event per second, regardless of the number of changes.
    const max = 2 + (performance.now() - beganMS) / 1_000
    assert.ok(watcher.events.length <= max, `${watcher.events.length} events`)
    for (const clients of watcher.events) {
      assert.equal(new Set(clients.map(({ client }) => client)).size, clients.length)
    }
  })

  test('watching a user without permission is refused with the reason', async () => {
    const alice = await platform.newUser()
    const { socket } = await connect(alice, 0)
    const refusals: [string, unknown, string, RegExp][] = [
      ['presence subscribe', {}, 'MISSING_PARAMETER', /^clients is required$/],
      ['presence subscribe', { clients: [] }, 'INVALID_REQUEST', /^clients/],
      [
        'presence subscribe',
        { clients: Array.from({ length: 501 }, (_, i) => `u${i}`) },
        'INVALID_REQUEST',
        /^clients/,
      ],
      ['presence unsubscribe', { clients: 'bob' }, 'INVALID_REQUEST', /^clients/],
      ['away', {}, 'MISSING_PARAMETER', /^away is required$/],
    ]
    for (const [emit, body, code, message] of refusals) {
      const { error } = await socket.emitWithAck(emit, body)
      assert.equal(error.code, code)
      assert.match(error.message, message)
    }
    const headers = alice.headers
    for (const query of ['', '?clients=', `?${'clients=x&'.repeat(501)}`]) {
      const { status, body } = await call(gateway.url, 'GET', `/presence${query}`, headers)
      assert.equal(status, 400, query.slice(0, 20))
      assert.match(JSON.stringify(body), /clients/)
    }
    assert.deepEqual(await read(alice, ...Array.from({ length: 500 }, () => randomUUID())), [])
    const friends = await newUsers(1)
    await platform.newRoom([alice.id, ...friends.map(({ id }) => id)])
    const others = Array.from({ length: 500 }, (_, i) => `u${i}`)
    assert.equal((await socket.emitWithAck('presence subscribe', { clients: [friends[0]?.id] })).RC, 0)
    const full = await socket.emitWithAck('presence subscribe', { clients: others })
    assert.match(full.error.message, /at most 500/)
  })

  test('no user is reported offline while Redis is away, and everything recovers; users of a killed node go offline', async () => {
    const [alice, bob, carol] = (await newUsers(3)) as [PlatformUser, PlatformUser, PlatformUser]
    await platform.newRoom([alice.id, bob.id, carol.id])
    await connect(bob, 1)
    const leaving = await connect(carol, 1)
    const watcher = await connect(alice, 0)
    const begun = await subscribe(watcher, [bob.id, carol.id])
    assert.deepEqual(
      begun.map(({ state }) => state),
      ['online', 'online'],
    )

    await platform.servers.redis.kill()
    assert.deepEqual(await read(alice, bob.id), [{ client: bob.id, state: 'unknown' }])
    await hears(watcher, bob.id, 'unknown')
    await hears(watcher, carol.id, 'unknown')
    const beforeLeaving = Date.now()
    leaving.socket.close()
    await platform.servers.redis.restart()
    await hears(watcher, bob.id, 'online')
    await hears(watcher, carol.id, 'offline')
    assert.ok(Number(heardLast(watcher, carol.id)?.lastSeenMS) >= beforeLeaving)
    assert.ok(watcher.heard.every(({ client, state }) => client !== bob.id || state !== 'offline'))

    const before = Date.now()
    await nodes[1].kill()
    await hears(watcher, bob.id, 'offline')
    assert.ok(Number(heardLast(watcher, bob.id)?.lastSeenMS) >= before)
    assert.equal((await read(alice, bob.id))[0]?.state, 'offline')
  })
})
