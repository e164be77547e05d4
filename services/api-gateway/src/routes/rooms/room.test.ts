import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let owner: TestUser
let manager: TestUser
let member: TestUser
let admin: TestUser
let stranger: TestUser

beforeAll(async () => {
  gateway = await startTestGateway()
  owner = await gateway.newUser('owner', { nickname: 'Owner' })
  manager = await gateway.newUser('manager')
  member = await gateway.newUser('m e/mber')
  admin = await gateway.newUser('admin', { isAdmin: true })
  stranger = await gateway.newUser('stranger')
})
afterAll(() => gateway.stop())

async function newRoom(fields = {}): Promise<string> {
  const room = await gateway.newRoom([owner, manager, member], { owner: 'owner', ...fields })
  await gateway.admin('PUT', `/rooms/${room}`, { managers: ['manager'] })
  return room
}
const put = (by: TestUser, room: string, body: object) => by.call('PUT', `/rooms/${room}`, body)
const remove = (by: TestUser, room: string) => by.call('DELETE', `/rooms/${room}`)
const send = (by: TestUser, room: string) =>
  by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })

describe('GET /rooms/{id}', () => {
  test('returns the room as the caller sees it', async () => {
    const room = await newRoom({ name: 'R', extParams: { a: { $b: 1, 'c.d': 2 } } })
    const sent = await send(member, room)
    const { status, body } = await owner.call('GET', `/rooms/${room}`)
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.result, {
      _id: room,
      name: 'R',
      owner: 'owner',
      managers: ['manager'],
      memberCount: 3,
      unread: 1,
      muted: false,
      status: 1,
      opening: 0,
      extParams: { a: { $b: 1, 'c.d': 2 } },
      lastMessage: { _id: sent.body.result._id, sender: { _id: member.id } },
    })
    refused(await stranger.call('GET', `/rooms/${room}`), 403, 'NOT_ROOM_MEMBER')
    refused(await owner.call('GET', '/rooms/none'), 404, 'ROOM_NOT_FOUND')
  })
})

describe('PUT /rooms/{id}', () => {
  test('changes the given fields and emits room to all members; for owner, manager, platform admin and the API key', async () => {
    const room = await newRoom({ name: 'Old', cover: 'c' })
    for (const [i, change] of [
      [0, { name: 'New', description: 'D', roomTags: ['t'], botMode: true }],
      [1, { extParams: { $set: { 'a.b': 1 } }, opening: 1 }],
      [2, { cover: '' }],
    ] as const) {
      const heard = await gateway.hear()
      const { status, body } = await put([owner, manager, admin][i] as TestUser, room, change)
      assert.equal(status, 200, JSON.stringify(body))
      assert.partialDeepStrictEqual(body.result, change)
      const { payload, to } = await heard.next('room')
      assert.deepEqual(to, { app: gateway.app, room })
      assert.deepEqual(payload, body.result)
      assert.equal('unread' in (payload as object), false)
    }
    const all = { name: 'New', description: 'D', extParams: { $set: { 'a.b': 1 } }, opening: 1, cover: '' }
    assert.partialDeepStrictEqual((await owner.call('GET', `/rooms/${room}`)).body.result, all)
    assert.equal((await gateway.admin('PUT', `/rooms/${room}`, { name: 'By key' })).body.result.name, 'By key')
  })

  test('owner, managers and status can be changed only by the owner, a platform admin or the API key', async () => {
    const room = await newRoom()
    for (const change of [{ owner: 'manager' }, { managers: [] }, { status: 0 }]) {
      refused(await put(manager, room, change), 403, 'INSUFFICIENT_PERMISSIONS')
    }
    assert.deepEqual((await put(owner, room, { managers: ['manager', member.id, 'manager'] })).body.result.managers, [
      'manager',
      member.id,
    ])
    assert.equal((await put(owner, room, { owner: 'manager' })).body.result.owner, 'manager')
    refused(await put(owner, room, { owner: 'owner' }), 403, 'INSUFFICIENT_PERMISSIONS')
    assert.equal((await put(admin, room, { owner: 'owner' })).body.result.owner, 'owner')
  })

  test('status 0 freezes the room: sends are 403 ROOM_FROZEN until it is 1 again; reading continues', async () => {
    proves('Room status', '1 means active')
    const room = await newRoom()
    await put(owner, room, { status: 0 })
    refused(await send(member, room), 403, 'ROOM_FROZEN')
    assert.equal((await member.call('GET', `/rooms/${room}/messages/v3`)).status, 200)
    assert.equal((await owner.call('GET', `/rooms/${room}`)).body.result.status, 0)
    await put(owner, room, { status: 1 })
    assert.equal((await send(member, room)).status, 200)
  })

  test('errors', async () => {
    const room = await newRoom()
    refused(await put(member, room, { name: 'x' }), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await put(stranger, room, { name: 'x' }), 403, 'NOT_ROOM_MEMBER')
    refused(await put(owner, 'none', { name: 'x' }), 404, 'ROOM_NOT_FOUND')
    refused(await put(owner, room, { owner: 'stranger' }), 400, 'INVALID_REQUEST', /owner.*stranger/)
    refused(await put(owner, room, { managers: ['stranger'] }), 400, 'INVALID_REQUEST', /managers.*stranger/)
    refused(await put(owner, room, { roomType: 'direct' }), 400, 'INVALID_REQUEST', /roomType/)
    refused(await put(owner, room, { status: 2 }), 400, 'INVALID_REQUEST', /status/)
  })
})

describe('DELETE /rooms/{id}', () => {
  test('sets status 0 and removes the room from every list; room goes to all members', async () => {
    const room = await newRoom()
    await send(member, room)
    const before = (await owner.call('GET', '/me/badge')).body.result.badge
    const heard = await gateway.hear()
    const { status, body } = await remove(owner, room)
    assert.deepEqual([status, body.result.status], [200, 0])
    assert.partialDeepStrictEqual((await heard.next('room')).payload, { _id: room, status: 0 })
    const rooms = (await owner.call('GET', '/rooms')).body.result.data
    assert.equal(
      rooms.some(({ _id }: { _id: string }) => _id === room),
      false,
    )
    assert.equal((await owner.call('GET', '/me/badge')).body.result.badge, before - 1)
    refused(await owner.call('GET', `/rooms/${room}`), 404, 'ROOM_NOT_FOUND')
    refused(await owner.call('GET', `/rooms/${room}/messages/v3`), 404, 'ROOM_NOT_FOUND')
    refused(await send(member, room), 404, 'ROOM_NOT_FOUND')
    refused(await remove(owner, room), 404, 'ROOM_NOT_FOUND')
  })

  test('is allowed for platform admins and the API key too, not for managers', async () => {
    const [one, two] = [await newRoom(), await newRoom()]
    refused(await remove(manager, one), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await remove(stranger, one), 403, 'NOT_ROOM_MEMBER')
    assert.equal((await remove(admin, one)).status, 200)
    assert.equal((await gateway.admin('DELETE', `/rooms/${two}`)).status, 200)
  })

  test('its members hear no more of it, even when one of them is erased', async () => {
    const leaver = await gateway.newUser()
    const [room, other] = [await gateway.newRoom([owner, leaver]), await gateway.newRoom([owner, leaver])]
    const heard = await gateway.hear()
    await gateway.admin('DELETE', `/rooms/${room}`)
    await heard.next('room', ({ _id }: { _id: string }) => _id === room)
    await gateway.admin('DELETE', `/admin/clients/${leaver.id}`)
    await heard.next('room', ({ _id, memberCount }: never) => _id === other && memberCount === 1)
    await gateway.chat.outbox.drained()
    await gateway.admin('PUT', `/rooms/${other}`, { name: 'last' })
    await heard.next('room', ({ name }: { name: string }) => name === 'last')
    assert.equal(heard.events.filter(({ to }) => 'room' in to && to.room === room).length, 1)
  })

  test('after a direct room is deleted, its pair can create another', async () => {
    const first = await gateway.newRoom([owner, member], { roomType: 'direct' })
    await gateway.admin('DELETE', `/rooms/${first}`)
    const second = await gateway.newRoom([owner, member], { roomType: 'direct' })
    assert.notEqual(first, second)
    assert.equal((await send(member, second)).status, 200)
  })
})

describe('PUT /rooms/{id}/member/{client}', () => {
  const role = (by: TestUser, room: string, client: string, value: unknown) =>
    by.call('PUT', `/rooms/${room}/member/${encodeURIComponent(client)}`, { property: 'role', value })

  test('makes the member a manager, and a member again, and emits room', async () => {
    const room = await newRoom()
    const heard = await gateway.hear()
    assert.deepEqual((await role(owner, room, member.id, 'admin')).body.result.managers, ['manager', member.id])
    assert.partialDeepStrictEqual((await heard.next('room')).payload, { managers: ['manager', member.id] })
    assert.deepEqual((await role(admin, room, 'manager', 'member')).body.result.managers, [member.id])
    refused(await role(member, room, 'manager', 'admin'), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await role(owner, room, 'stranger', 'admin'), 404, 'CLIENT_NOT_FOUND')
    refused(await role(owner, room, 'manager', 'boss'), 400, 'INVALID_REQUEST')
  })
  test('a room has at most 1,000 managers: 400 INVALID_REQUEST', async () => {
    const room = await newRoom()
    const managers = ['manager', ...Array.from({ length: 999 }, (_, i) => `m${i}`)]
    await gateway.chat.db.rooms.updateOne({ _id: key(gateway.app, room) }, { $set: { managers } })
    refused(await role(owner, room, member.id, 'admin'), 400, 'INVALID_REQUEST', /at most 1000/)
    assert.equal((await role(owner, room, 'manager', 'admin')).status, 200)
    assert.equal((await role(owner, room, 'manager', 'member')).status, 200)
    assert.equal((await role(owner, room, member.id, 'admin')).status, 200)
  })

  test('a direct room has no managers: 400 INVALID_REQUEST', async () => {
    const room = await gateway.newRoom([owner, member], { roomType: 'direct' })
    for (const by of [admin, { call: gateway.admin }]) {
      refused(await role(by as TestUser, room, 'member', 'admin'), 400, 'INVALID_REQUEST', /direct room/)
    }
    assert.deepEqual((await member.call('GET', `/rooms/${room}`)).body.result.managers, [])
    refused(await role(owner, room, 'member', 'admin'), 403, 'INSUFFICIENT_PERMISSIONS')
  })
})
