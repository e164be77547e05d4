import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let [alice, bob, carol]: TestUser[] = []
let room: string

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice')
  bob = await gateway.newUser('bob')
  carol = await gateway.newUser('carol')
  room = await gateway.newRoom([alice, bob], { owner: 'alice' })
})
afterAll(() => gateway.stop())

const me = () => bob as TestUser
const send = async (more: object = {}): Promise<string> => {
  const message = { room, sender: 'alice', message: 'x', messageType: 'text', ...more }
  return (await gateway.admin('POST', '/messages', message)).body.result._id
}
/** Without a record, it is the reason that would hold now. */
const why = async (message: string, client = 'bob'): Promise<string> => {
  const { body } = await gateway.admin('GET', `/admin/push/why?message=${message}&client=${client}`)
  return body.result.reason
}
const night = { timeZone: 'Europe/Berlin', times: [{ days: [1, 7], from: '22:00', to: '07:00' }] }

describe('/me/notifications', () => {
  test('PUT replaces the settings, and GET returns them', async () => {
    assert.deepEqual((await me().call('GET', '/me/notifications')).body.result, {})
    const settings = { level: 'mentions', types: [{ messageType: 'a.$b', level: 'all' }], doNotDisturb: night }
    assert.deepEqual((await me().call('PUT', '/me/notifications', settings)).body.result, settings)
    assert.deepEqual((await me().call('GET', '/me/notifications')).body.result, settings)
    assert.deepEqual((await gateway.admin('GET', '/admin/clients/bob/notifications')).body.result, settings)
    await me().call('PUT', '/me/notifications', { level: 'none' })
    assert.deepEqual((await me().call('GET', '/me/notifications')).body.result, { level: 'none' })
    await gateway.admin('PUT', '/admin/clients/bob/notifications', {})
    assert.deepEqual((await me().call('GET', '/me/notifications')).body.result, {})
  })

  test('refuses invalid levels, times of mutes, types, days, times and time zones', async () => {
    const dnd = (more: object) => ({ doNotDisturb: { ...night, ...more } })
    const times = (more: object) => dnd({ times: [{ ...night.times[0], ...more }] })
    for (const settings of [
      { level: 'some' },
      { muteUntilMS: -1 },
      { muteUntilMS: 8.64e15 + 1 },
      { types: [{ messageType: '\ud800', level: 'none' }] },
      {
        types: [
          { messageType: 'a', level: 'all' },
          { messageType: 'a', level: 'none' },
        ],
      },
      dnd({ timeZone: 'Europe/Nowhere' }),
      dnd({ times: [] }),
      times({ days: [0] }),
      times({ from: '24:00' }),
      times({ to: '7:00' }),
    ]) {
      refused(await me().call('PUT', '/me/notifications', settings), 400, 'INVALID_REQUEST')
    }
  })

  test('decide which messages are pushed, in the room and elsewhere, and by mentions', async () => {
    const plain = await send()
    const named = await send({ mentions: ['bob'] })
    const all = await send({ mentions: ['@room'] })
    const reasons = async () => [await why(plain), await why(all), await why(named)]
    await me().call('PUT', '/me/notifications', { level: 'mentions' })
    assert.deepEqual(await reasons(), ['LEVEL_OF_USER', 'NO_DEVICE', 'NO_DEVICE'])
    await me().call('PUT', `/me/notifications/rooms/${room}`, { level: 'none' })
    assert.deepEqual(await reasons(), ['LEVEL_OF_ROOM', 'LEVEL_OF_ROOM', 'LEVEL_OF_ROOM'])
    await me().call('PUT', `/me/notifications/rooms/${room}`, { level: 'all', muteUntilMS: Date.now() + 3_600_000 })
    assert.deepEqual(await reasons(), ['MUTED_FOR_NOW', 'MUTED_FOR_NOW', 'NO_DEVICE'])
    const listed = (await me().call('GET', '/rooms')).body.result.data[0]
    assert.equal(listed.notifications.level, 'all')
    await gateway.admin('PUT', `/admin/clients/bob/notifications/rooms/${room}`, {})
    await me().call('POST', `/me/mute/${room}`)
    assert.deepEqual(await reasons(), ['MUTED', 'MUTED', 'NO_DEVICE'])
    await me().call('DELETE', `/me/mute/${room}`)
    const allDay = { timeZone: 'UTC', times: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }] }
    await me().call('PUT', '/me/notifications', { doNotDisturb: allDay })
    assert.deepEqual(await reasons(), ['DO_NOT_DISTURB', 'DO_NOT_DISTURB', 'DO_NOT_DISTURB'])
    await me().call('PUT', '/me/notifications', {})
  })

  test('the app’s level for the room type applies if the user set none', async () => {
    const message = await send()
    refused(await gateway.admin('POST', '/config', { notifications: { levels: { room: 'all' } } }), 400, 'INVALID_BODY')
    await gateway.admin('POST', '/config', { notifications: { levels: { group: 'mentions' } } })
    assert.equal(await why(message), 'LEVEL_OF_APP')
    await me().call('PUT', `/me/notifications/rooms/${room}`, { types: [{ messageType: 'text', level: 'all' }] })
    assert.equal(await why(message), 'NO_DEVICE')
    await me().call('PUT', `/me/notifications/rooms/${room}`, {})
    await gateway.admin('DELETE', '/config/notifications')
  })
})

describe('/me/notifications of rooms and threads', () => {
  test('those of a thread override the room’s', async () => {
    const root = await send()
    const path = `/me/notifications/threads/${root}`
    refused(await me().call('GET', path), 403, 'NOT_IN_THREAD')
    refused(await me().call('PUT', path, { level: 'all' }), 403, 'NOT_IN_THREAD')
    await send({ sender: 'bob', replyTo: root, thread: true })
    const reply = await send({ replyTo: root, thread: true })
    await me().call('PUT', `/me/notifications/rooms/${room}`, { level: 'none' })
    assert.equal(await why(reply), 'LEVEL_OF_ROOM')
    assert.deepEqual((await me().call('PUT', path, { level: 'all' })).body.result, { level: 'all' })
    assert.deepEqual((await me().call('GET', path)).body.result, { level: 'all' })
    assert.equal(await why(reply), 'NO_DEVICE')
    await me().call('PUT', path, { level: 'mentions' })
    assert.equal(await why(reply), 'LEVEL_OF_THREAD')
    await me().call('PUT', `/me/notifications/rooms/${room}`, {})
  })

  test('return 404 for unknown rooms and users, and 403 for non-members', async () => {
    refused(await me().call('GET', '/me/notifications/rooms/none'), 404, 'ROOM_NOT_FOUND')
    refused(await me().call('PUT', '/me/notifications/threads/none', {}), 404, 'MESSAGE_NOT_FOUND')
    refused(await (carol as TestUser).call('PUT', `/me/notifications/rooms/${room}`, {}), 403, 'NOT_ROOM_MEMBER')
    refused(await gateway.admin('PUT', '/admin/clients/none/notifications', {}), 404, 'CLIENT_NOT_FOUND')
    refused(await gateway.admin('GET', `/admin/clients/carol/notifications/rooms/${room}`), 403, 'NOT_ROOM_MEMBER')
  })
})

describe('@room and @here', () => {
  test('are for the owner and managers of a group, and for members if the app allows it', async () => {
    const write = (by: TestUser | undefined, mentions: string[], of = room, more: object = {}) =>
      (by as TestUser).call('POST', `/rooms/${of}/message`, { message: 'x', messageType: 'text', mentions, ...more })
    for (const mention of ['@room', '@here']) {
      refused(await write(bob, [mention]), 403, 'INSUFFICIENT_PERMISSIONS')
      refused(await write(bob, [mention], room, { sendAtMS: Date.now() + 3_600_000 }), 403, 'INSUFFICIENT_PERMISSIONS')
      assert.equal((await write(alice, [mention])).status, 200)
      assert.equal((await write(bob, ['alice', 'room'])).status, 200)
    }
    const own = (await write(bob, [])).body.result._id
    refused(await write(bob, ['@room'], room, { _id: own }), 403, 'INSUFFICIENT_PERMISSIONS')
    await gateway.admin('POST', '/config', { notifications: { roomMentions: 'members' } })
    assert.equal((await write(bob, ['@room'])).status, 200)
    await gateway.admin('DELETE', '/config/notifications')
    const direct = (await gateway.admin('POST', '/rooms/', { roomType: 'direct', members: ['bob', 'alice'] })).body
    assert.equal((await write(bob, ['@room'], direct.result._id)).status, 200)
  })
})
