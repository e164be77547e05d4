import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { connectResuming, type ResumingClient } from './resuming-client.ts'

const kinds = [
  { transports: ['websocket'], encoding: 'plain' },
  { transports: ['websocket'], encoding: 'base64' },
  { transports: ['polling'], encoding: 'plain' },
  { transports: ['polling'], encoding: 'base64' },
  { transports: ['polling', 'websocket'], encoding: 'base64' },
] as const

describe('auth2 with since', () => {
  let platform: Platform
  let nodes: [RunningService, RunningService]
  let alice: PlatformUser
  let bob: PlatformUser
  /** Alice's, always connected. Every event that she received is in the stream. */
  let witness: ResumingClient

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    const settings = { PARLEY_REALTIME_SERVER_TIME_EVERY_MS: '200' }
    nodes = await Promise.all([platform.start('realtime', settings), platform.start('realtime', settings)])
    alice = await platform.newUser()
    bob = await platform.newUser()
    witness = await open(0, alice)
    await witness.login()
  })
  afterAll(async () => {
    witness.socket.close()
    await platform.stop()
  })

  const open = (node: 0 | 1, user: PlatformUser, kind: Parameters<typeof connectResuming>[2] = {}) =>
    connectResuming(nodes[node].url, user.token, { ...kind, transports: [...(kind?.transports ?? ['websocket'])] })
  const send = async (room: string, message: string, by = alice) =>
    String((await platform.admin('POST', '/messages', { room, sender: by.id, message, messageType: 'text' }))['_id'])
  /** Sends a message and waits until it is in the stream, which is after the response. */
  async function pass(room: string, message: string): Promise<string> {
    const id = await send(room, message)
    await eventually('it has passed', () => has(witness, 'chat message', { _id: id }))
    return id
  }
  const texts = ({ heard }: ResumingClient, room: string) =>
    heard
      .filter(({ event }) => event === 'chat message')
      .map(({ payload }) => payload as { room: string; message: string })
      .filter((message) => message.room === room)
      .map(({ message }) => message)
  const has = (client: ResumingClient, event: string, field: object) =>
    client.heard.some(
      (one) =>
        one.event === event &&
        Object.entries(field).every(([name, value]) => (one.payload as Record<string, unknown>)[name] === value),
    )
  /** Connects for the first time, gets one message and leaves; returns the time for the next `since`. */
  async function comeAndGo(user: PlatformUser, room: string): Promise<number> {
    const client = await open(0, user)
    const { result } = await client.login({ deviceId: 'phone', since: 0 })
    assert.equal(result.resumed, false, 'a first connection has nothing to resume')
    await send(room, 'before')
    await eventually('a live message', () => texts(client, room).includes('before'))
    client.socket.close()
    return result.serverTimeMS
  }

  test.each(kinds)('missed events arrive in order before the acknowledgement: %o', async (kind) => {
    const room = await platform.newRoom([alice.id, bob.id])
    const since = await comeAndGo(bob, room)
    for (let i = 0; i < 30; i++) await pass(room, `${i}`)
    const client = await open(1, bob, { ...kind, transports: [...kind.transports] })
    const { result } = await client.login({ deviceId: 'phone', since })
    assert.equal(result.resumed, true)
    const missed = Array.from({ length: 30 }, (_, i) => `${i}`)
    assert.deepEqual(texts(client, room), ['before', ...missed])
    await send(room, 'after')
    await eventually('live events go on', () => texts(client, room).includes('after'))
    assert.deepEqual(texts(client, room), ['before', ...missed, 'after'])
    client.socket.close()
  })

  test('serverTime keeps coming after auth2 with a newer token', async () => {
    const client = await open(0, bob)
    await client.login({ deviceId: 'phone', since: 0 })
    assert.equal((await client.login({ deviceId: 'phone' })).RC, 0)
    const before = client.heard.length
    await eventually('one more', () => client.heard.slice(before).some(({ event }) => event === 'serverTime'))
    client.socket.close()
  })

  test('every kind of event is replayed, in its original order', async () => {
    const room = await platform.newRoom([alice.id, bob.id])
    const since = await comeAndGo(bob, room)
    const id = await send(room, 'first')
    const path = `/rooms/${room}`
    const other = await platform.newRoom([alice.id], { owner: alice.id })
    const say = { sender: alice.id, message: 'x', messageType: 'text' }
    await platform.admin('POST', '/messages', { room, ...say, replyTo: id, thread: true })
    await alice.call('POST', `/messages/${id}/reaction`, { reaction: '👍' })
    await bob.call('PUT', `${path}/lastRead`, { message: id })
    await platform.admin('PUT', path, { name: 'another name' })
    await bob.call('POST', `/roomPrefs/${room}`, { sticky: true }, { 'im-device-id': 'desktop' })
    await bob.call('POST', '/me/pref/theme', { data: 'dark' }, { 'im-device-id': 'desktop' })
    await bob.call('POST', '/me/pref/own', { data: 'dark' }, { 'im-device-id': 'phone' })
    await bob.call('DELETE', '/me/pref/theme', undefined, { 'im-device-id': 'desktop' })
    await bob.call('POST', '/messages/user-delete', { room, messages: [id] })
    await alice.call('POST', `/rooms/${other}/members`, { invitees: [bob.id], invitationRequired: true })
    await platform.admin('DELETE', `${path}/messages/${id}`)
    await eventually('the last has passed', () => has(witness, 'messageDeleted', { messageID: id }))
    const client = await open(1, bob)
    assert.equal((await client.login({ deviceId: 'phone', since })).result.resumed, true)
    const order = client.heard.map(({ event }) => event).filter((event) => event !== 'serverTime')
    const wanted = [
      ...['chat message', 'thread message', 'messageUpdated', 'lastRead', 'room', 'roomPref', 'myPrefChange'],
      ...['myPrefDelete', 'userDeleteMessages', 'invitation', 'messageDeleted'],
    ]
    assert.deepEqual(order.slice(order.indexOf('thread message') - 1), wanted, "without the device's own actions")
    assert.ok(has(client, 'messageDeleted', { messageID: id }))
    client.socket.close()
  })

  test('of a room that removed the user, only the removal is replayed', async () => {
    const [left, joined] = [await platform.newRoom([alice.id, bob.id]), await platform.newRoom([alice.id])]
    const since = await comeAndGo(bob, left)
    await send(left, 'while a member')
    await platform.admin('POST', `/rooms/${left}/delete/members`, { members: [bob.id] })
    await send(left, 'secret')
    await platform.admin('POST', `/rooms/${joined}/members`, { invitees: [bob.id] })
    await pass(joined, 'welcome')
    const client = await open(1, bob)
    assert.equal((await client.login({ since })).result.resumed, true)
    assert.deepEqual(texts(client, left), [])
    assert.ok(has(client, 'removedFromRoom', { room: left }))
    assert.ok(has(client, 'room', { _id: joined }))
    assert.ok(texts(client, joined).includes('welcome'))
    client.socket.close()
  })

  test('a new user with an erased user’s ID resumes nothing', async () => {
    const before = await platform.newUser()
    const since = await comeAndGo(before, await platform.newRoom([alice.id, before.id]))
    await before.call('POST', '/me/pref/secret', { data: 'of the erased one' })
    await platform.admin('DELETE', `/admin/clients/${before.id}`)
    const next = await platform.newUser(before.id)
    const client = await open(1, next)
    assert.equal((await client.login({ since })).result.resumed, false)
    assert.deepEqual(
      client.heard.filter(({ event }) => event !== 'serverTime'),
      [],
    )
    await assert.rejects(next.call('GET', `/me/changes?since=${since}`), /CURSOR_GONE/)
    client.socket.close()
  })

  test('a connected socket can send since again, and live events never overtake the replay', async () => {
    const room = await platform.newRoom([alice.id, bob.id])
    const since = await comeAndGo(bob, room)
    const client = await open(1, bob)
    const sending = { on: true }
    const sent = (async () => {
      let count = 0
      while (sending.on) await send(room, `${count++}`)
      return count
    })()
    for (let i = 0; i < 10; i++) assert.equal((await client.login({ since })).result.resumed, true)
    sending.on = false
    const count = await sent
    await eventually('the last message', () => texts(client, room).includes(`${count - 1}`))
    const once = [...new Set(texts(client, room))]
    assert.deepEqual(once, ['before', ...Array.from({ length: count }, (_, i) => `${i}`)])
    client.socket.close()
  })

  test('many concurrent clients with different rooms and times each get their own events', async () => {
    const users = await Promise.all(Array.from({ length: 40 }, () => platform.newUser()))
    const rooms = await Promise.all(users.map((user) => platform.newRoom([alice.id, user.id])))
    const together = await platform.newRoom([alice.id, ...users.map(({ id }) => id)])
    const times: number[] = []
    for (const [i, user] of users.entries()) times[i] = await comeAndGo(user, rooms[i] as string)
    await Promise.all(rooms.map((room, i) => pass(room, `${i}`)))
    await pass(together, 'all')
    const clients = await Promise.all(users.map((user, i) => open(i % 2 === 0 ? 0 : 1, user)))
    await Promise.all(
      clients.map(async (client, i) =>
        assert.equal((await client.login({ since: times[i] })).result.resumed, true, `client ${i}`),
      ),
    )
    for (const [i, client] of clients.entries()) {
      assert.deepEqual(texts(client, rooms[i] as string), ['before', `${i}`])
      assert.deepEqual(texts(client, together), ['all'])
      const others = client.heard.filter(
        ({ event, payload }) =>
          event === 'chat message' && ![rooms[i], together].includes((payload as { room: string }).room),
      )
      assert.deepEqual(others, [])
      client.socket.close()
    }
  })

  test('serverTime is sent periodically to clients that sent since, and is a valid time to resume from', async () => {
    const room = await platform.newRoom([alice.id, bob.id])
    const client = await open(0, bob)
    const { result } = await client.login({ since: 0 })
    const times = () =>
      client.heard
        .filter(({ event }) => event === 'serverTime')
        .map(({ payload }) => (payload as { serverTimeMS: number }).serverTimeMS)
    await eventually('two of them', () => times().length >= 2)
    assert.ok(times().every((time, i, all) => time >= (all[i - 1] ?? result.serverTimeMS)))
    const since = times().at(-1)
    client.socket.close()
    await pass(room, 'missed')
    const again = await open(1, bob)
    assert.equal((await again.login({ since })).result.resumed, true)
    assert.ok(texts(again, room).includes('missed'))
    again.socket.close()
  })

  test('a client without since gets no serverTime', async () => {
    const client = await open(0, bob)
    const { result } = await client.login({ deviceId: 'phone' })
    assert.ok(!('resumed' in result))
    const other = await open(0, bob)
    await other.login({ since: 0 })
    await eventually('the other gets the time', () => has(other, 'serverTime', {}))
    assert.ok(!has(client, 'serverTime', {}))
    for (const { socket } of [client, other]) socket.close()
  })

  test('an invalid since is refused by name, null counts as absent, and a future time is not resumed', async () => {
    const client = await open(0, bob)
    for (const since of ['yesterday', -1, 1.5, {}]) {
      const { RC, RM, error } = await client.login({ since })
      assert.equal(RC, 400, JSON.stringify(since))
      assert.equal(error?.code, 'INVALID_REQUEST')
      assert.match(RM, /since/)
    }
    assert.ok(!('resumed' in (await client.login({ since: null })).result))
    assert.equal((await client.login({ since: Date.now() + 3_600_000 })).result.resumed, false)
    client.socket.close()
  })
})
