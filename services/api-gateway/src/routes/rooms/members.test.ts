import assert from 'node:assert/strict'
import { anyMembersChangeSubject } from '@parley/contracts/bus/subjects'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { TestGateway, TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'
import { add, startWithMembers, take } from './test-members.ts'

let gateway: TestGateway
let owner: TestUser
let member: TestUser
let admin: TestUser
let carl: TestUser

beforeAll(async () => {
  ;({ gateway, owner, member, admin, carl } = await startWithMembers())
})
afterAll(() => gateway.stop())

const newRoom = (fields: object = { owner: 'owner' }) => gateway.newRoom([owner, member], fields)
const send = (by: TestUser, room: string) =>
  by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
const ids = (members: { _id: string }[]) => members.map(({ _id }) => _id)
const unread = async (by: TestUser, room: string) => (await by.call('GET', `/rooms/${room}`)).body.result.unread

describe('POST /rooms/{id}/members', () => {
  test('the API key invites into a room without members, and inviter is empty', async () => {
    const room = await gateway.newRoom([member])
    assert.equal((await take(member, room, ['member'])).status, 200)
    const invitees = { invitees: ['owner'], invitationRequired: true }
    const { status, body } = await gateway.admin('POST', `/rooms/${room}/members`, invitees)
    assert.deepEqual([status, body.result?.invitations[0].inviter], [200, ''])
  })

  test('adds members at once without unread messages, and emits room to all', async () => {
    const room = await newRoom()
    await send(owner, room)
    const heard = await gateway.hear()
    const { status, body } = await add(owner, room, [carl.id, 'member', carl.id])
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.result.memberCount, ids(body.result.members)], [3, ['owner', 'member', carl.id]])
    const { payload, to } = await heard.next('room')
    assert.deepEqual([payload, to], [body.result, { app: gateway.app, room }])
    assert.equal(await unread(carl, room), 0)
    await send(owner, room)
    assert.equal(await unread(carl, room), 1)
    assert.equal((await send(carl, room)).status, 200)
  })

  test('a user group adds its members; unknown users are 404 CLIENT_NOT_FOUND naming them', async () => {
    await gateway.admin('POST', '/admin/groups', { _id: 'g', nickname: 'G', members: [carl.id, 'admin'] })
    const room = await newRoom()
    assert.equal((await add(owner, room, ['g'])).body.result.memberCount, 4)
    refused(await add(owner, room, ['nobody', 'none']), 404, 'CLIENT_NOT_FOUND', /invitees.*nobody.*none/)
  })

  test('a closed room: allowed for owner, manager, platform admin and the API key; a plain member gets 403 ROOM_CLOSED', async () => {
    const room = await newRoom()
    refused(await add(member, room, [carl.id]), 403, 'ROOM_CLOSED')
    refused(await add(carl, room, [carl.id]), 403, 'NOT_ROOM_MEMBER')
    assert.equal((await add(admin, room, [carl.id])).status, 200)
    assert.equal((await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['admin'] })).status, 200)
    const open = await newRoom()
    await owner.call('PUT', `/rooms/${open}`, { opening: 1 })
    assert.equal((await add(member, open, [carl.id])).status, 200)
    const unruled = await newRoom({})
    assert.equal((await add(member, unruled, [carl.id])).status, 200)
  })

  test('a banned member cannot invite, and is read-only after a return', async () => {
    const room = await newRoom()
    await owner.call('PUT', `/rooms/${room}`, { opening: 1 })
    await owner.call('POST', `/blockStatus/room/${room}/member`)
    refused(await add(member, room, [carl.id]), 403, 'USER_BLOCKED')
    await owner.call('POST', `/blockStatus/room/${room}/${encodeURIComponent(carl.id)}`)
    refused(await carl.call('POST', `/rooms/${room}/join`, {}), 403, 'USER_BLOCKED')
    assert.equal((await add(owner, room, [carl.id])).status, 200)
    refused(await send(carl, room), 403, 'USER_BLOCKED')
  })

  test('a direct room has exactly two members', async () => {
    const room = await gateway.newRoom([owner, member], { roomType: 'direct' })
    refused(await add(owner, room, [carl.id]), 400, 'INVALID_REQUEST')
    refused(await take(owner, room, ['owner']), 400, 'INVALID_REQUEST')
  })

  test('the same users added 50 times at once over two gateways are members once', async () => {
    const other = await gateway.another()
    const room = await newRoom()
    const users = await Promise.all(Array.from({ length: 5 }, () => gateway.newUser()))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? gateway : other).admin('POST', `/rooms/${room}/members`, {
          invitees: users.map(({ id }) => id).slice(0, 1 + (i % 5)),
        }),
      ),
    )
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    const { body } = await owner.call('GET', `/rooms/${room}/members?limit=500`)
    assert.equal(body.result.totalCount, 7)
    assert.equal(new Set(ids(body.result.data)).size, 7)
    await other.stop()
  })

  test('systemMessage writes a message of type addMembers with the acting user', async () => {
    const room = await newRoom()
    const heard = await gateway.hear()
    await add(owner, room, [carl.id], { systemMessage: true })
    const { payload } = await heard.next('chat message')
    assert.partialDeepStrictEqual(payload, { messageType: 'addMembers', sender: { _id: 'owner' }, seq: 1 })
    assert.equal(await unread(carl, room), 1)
    const byKey = await newRoom()
    await gateway.admin('POST', `/rooms/${byKey}/members`, { invitees: [carl.id], systemMessage: true })
    const { body } = await owner.call('GET', `/rooms/${byKey}/messages/v3`)
    assert.equal(body.result.data[0].sender._id, carl.id)
  })

  test('the webhook gets ADD_MEMBERS, JOIN_ROOM and DELETE_MEMBERS from the stream', async () => {
    const room = await newRoom()
    /** By ID: an event acknowledged late is published twice, and kept once. */
    const changes = new Map<string, { event: string; sender?: string; members: string[] }>()
    const { nats } = gateway.chat.bus
    nats.subscribe(anyMembersChangeSubject(gateway.app), {
      callback: (_error, message) => {
        const change = message.json<{ id: string; room: string; event: string; members: string[] }>()
        if (change.room === room) changes.set(change.id, change)
      },
    })
    await nats.flush()
    await add(owner, room, [carl.id])
    await take(carl, room, [carl.id])
    await owner.call('PUT', `/rooms/${room}`, { opening: 1 })
    await carl.call('POST', `/rooms/${room}/join`, {})
    await nats.flush()
    assert.deepEqual(
      [...changes.values()].map(({ event, sender, members }) => [event, sender, members]),
      [
        ['ADD_MEMBERS', 'owner', [carl.id]],
        ['DELETE_MEMBERS', carl.id, [carl.id]],
        ['JOIN_ROOM', carl.id, [carl.id]],
      ],
    )
  })
})

describe('invitations', () => {
  test('with invitationRequired each user gets the event invitation and joins by POST /rooms/{id}/join', async () => {
    const room = await newRoom()
    const heard = await gateway.hear()
    const { status, body } = await add(owner, room, [carl.id, 'admin', 'member'], { invitationRequired: true })
    assert.equal(status, 200)
    assert.equal(body.result.memberCount, 2)
    assert.deepEqual(
      new Set(body.result.invitations.map(({ invitee }: { invitee: string }) => invitee)),
      new Set([carl.id, 'admin']),
    )
    const { payload, to } = await heard.next('invitation', ({ invitee }: { invitee: string }) => invitee === carl.id)
    assert.deepEqual(to, { app: gateway.app, user: carl.id })
    assert.partialDeepStrictEqual(payload, { inviter: 'owner', invitee: carl.id, room })
    assert.deepEqual(Object.keys(payload as object).toSorted(), [
      '_id',
      'createdAt',
      'invitee',
      'inviter',
      'room',
      'roomName',
      'updatedAt',
    ])
    const joined = await carl.call('POST', `/rooms/${room}/join`, { systemMessage: true })
    assert.deepEqual([joined.status, joined.body.result.memberCount], [200, 3])
    const { payload: message } = await heard.next('chat message')
    assert.partialDeepStrictEqual(message, { messageType: 'joinRoom', sender: { _id: carl.id } })
    await take(carl, room, [carl.id])
    refused(await carl.call('POST', `/rooms/${room}/join`, {}), 403, 'ROOM_CLOSED')
  })

  test('DELETE /rooms/{id}/invitations declines; without one it is 404 INVITATION_NOT_FOUND', async () => {
    const room = await newRoom()
    await add(owner, room, [carl.id], { invitationRequired: true })
    const { status, body } = await carl.call('DELETE', `/rooms/${room}/invitations`)
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.result, { inviter: 'owner', invitee: carl.id, room })
    refused(await carl.call('DELETE', `/rooms/${room}/invitations`), 404, 'INVITATION_NOT_FOUND')
    refused(await carl.call('POST', `/rooms/${room}/join`, {}), 403, 'ROOM_CLOSED')
  })

  test('an open group needs no invitation; a direct room cannot be joined; joining twice counts once', async () => {
    const room = await newRoom()
    await owner.call('PUT', `/rooms/${room}`, { opening: 1 })
    const other = await gateway.another()
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': carl.token }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? gateway : other).anonymous('POST', `/rooms/${room}/join`, {}, headers),
      ),
    )
    for (const { status, body } of answers) assert.deepEqual([status, body.result.memberCount], [200, 3])
    const direct = await gateway.newRoom([owner, member], { roomType: 'direct' })
    refused(await carl.call('POST', `/rooms/${direct}/join`, {}), 403, 'ROOM_CLOSED')
    refused(await carl.call('POST', '/rooms/none/join', {}), 404, 'ROOM_NOT_FOUND')
    await other.stop()
  })
})

describe('POST /rooms/{id}/delete/members', () => {
  test('leaving emits room to the remaining members; a returning member has nothing unread', async () => {
    const room = await newRoom()
    await add(owner, room, [carl.id])
    await send(owner, room)
    const heard = await gateway.hear()
    const { status, body } = await take(carl, room, [carl.id])
    assert.deepEqual([status, body.result.memberCount, ids(body.result.members)], [200, 2, ['member', 'owner']])
    assert.deepEqual((await heard.next('room')).payload, body.result)
    refused(await send(carl, room), 403, 'NOT_ROOM_MEMBER')
    refused(await carl.call('GET', `/rooms/${room}/messages/v3`), 403, 'NOT_ROOM_MEMBER')
    refused(await take(carl, room, [carl.id]), 403, 'NOT_ROOM_MEMBER')
    await send(owner, room)
    await add(owner, room, [carl.id])
    assert.equal(await unread(carl, room), 0)
    await send(owner, room)
    assert.equal(await unread(carl, room), 1)
  })

  test('owner, manager, platform admin and the API key remove others; members cannot, nor can a manager remove the owner', async () => {
    const room = await newRoom()
    await add(owner, room, [carl.id])
    refused(await take(member, room, [carl.id]), 403, 'INSUFFICIENT_PERMISSIONS')
    await gateway.admin('PUT', `/rooms/${room}/member/member`, { property: 'role', value: 'admin' })
    refused(await take(member, room, ['owner']), 403, 'INSUFFICIENT_PERMISSIONS')
    assert.equal((await take(member, room, [carl.id])).status, 200)
    assert.deepEqual((await take(admin, room, ['member'])).body.result.managers, [])
    const { body } = await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['owner'] })
    assert.deepEqual([body.result.memberCount, body.result.owner], [0, undefined])
    refused(await take(admin, room, ['owner']), 404, 'CLIENT_NOT_FOUND', /owner/)
  })

  test('systemMessage writes leaveRoom or deleteMember before they leave', async () => {
    const room = await newRoom()
    await add(owner, room, [carl.id])
    await take(owner, room, [carl.id], { systemMessage: true })
    await take(member, room, ['member'], { systemMessage: true })
    const { body } = await owner.call('GET', `/rooms/${room}/messages/v3`)
    const types = body.result.data.map((m: { messageType: string; sender: { _id: string } }) => [
      m.messageType,
      m.sender._id,
    ])
    assert.deepEqual(types, [
      ['leaveRoom', 'member'],
      ['deleteMember', 'owner'],
    ])
  })
})

describe('GET /rooms/{id}/members', () => {
  test('pages through all members, in the order in which they joined', async () => {
    const room = await newRoom()
    const many = Array.from({ length: 120 }, (_, i) => ({
      _id: `many ${String(i).padStart(3, '0')}`,
      nickname: `N${i}`,
    }))
    await gateway.admin('POST', '/admin/clients/list', { data: many })
    await add(
      owner,
      room,
      many.map(({ _id }) => _id),
    )
    const seen: string[] = []
    for (let skip = 0; ; skip += 50) {
      const { body } = await member.call('GET', `/rooms/${room}/members?skip=${skip}`)
      assert.equal(body.result.totalCount, 122)
      if (body.result.data.length === 0) break
      seen.push(...ids(body.result.data))
    }
    assert.deepEqual(new Set(seen.slice(0, 2)), new Set(['owner', 'member']))
    assert.deepEqual(
      seen.slice(2),
      many.map(({ _id }) => _id),
    )
    const shown = (await member.call('GET', `/rooms/${room}`)).body.result
    assert.deepEqual([shown.members.length, shown.memberCount], [50, 122])
    refused(await carl.call('GET', `/rooms/${room}/members`), 403, 'NOT_ROOM_MEMBER')
    refused(await owner.call('GET', `/rooms/${room}/members?limit=501`), 400, 'INVALID_QUERY')
    assert.equal((await gateway.admin('GET', `/rooms/${room}/members?limit=1`)).body.result.data.length, 1)
  })
})

describe('POST /rooms/', () => {
  test('accepts every creation field; systemMessage writes joinRoom; the same _id again returns the room unchanged', async () => {
    const fields = {
      _id: 'my *> room',
      name: 'N',
      cover: 'C',
      description: 'D',
      roomTags: ['a'],
      webhook: 'https://hook',
      extParams: { x: [1] },
      encrypted: true,
      botMode: true,
      botState: 's',
      serviceStatus: 3,
      owner: 'owner',
    }
    const create = (more: object) =>
      gateway.admin('POST', '/rooms/', { roomType: 'group', members: ['owner', carl.id], ...more })
    const heard = await gateway.hear()
    const { status, body } = await create({ ...fields, systemMessage: true })
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.result, { ...fields, status: 1, memberCount: 2 })
    assert.partialDeepStrictEqual((await heard.next('chat message')).payload, {
      messageType: 'joinRoom',
      room: fields._id,
    })
    assert.partialDeepStrictEqual((await create({ _id: fields._id, name: 'other' })).body.result, { name: 'N' })
  })
})
