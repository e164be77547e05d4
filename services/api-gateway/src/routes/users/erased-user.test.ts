import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe("an erased user's direct room", () => {
  let gateway: TestGateway
  let bob: TestUser
  let eve: TestUser
  let room: string
  const direct = async () => gateway.newRoom([bob, eve], { roomType: 'direct' })
  const send = (by: TestUser, to: string) =>
    by.call('POST', `/rooms/${to}/message`, { message: 'hello', messageType: 'text' })

  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[bob, eve] = [await gateway.newUser('bob'), await gateway.newUser('eve', { nickname: 'Eve' })]
    room = await direct()
    await send(eve, room)
    await gateway.admin('DELETE', '/admin/clients/eve')
  })
  afterAll(() => gateway.stop())

  test('is read-only for the other member, and cannot be reopened', async () => {
    const refused = await send(bob, room)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'ROOM_FROZEN'])
    const history = await bob.call('GET', `/rooms/${room}/messages/v3`)
    assert.deepEqual([history.status, history.body.result.data[0].message], [200, 'hello'])
    assert.partialDeepStrictEqual((await bob.call('GET', `/rooms/${room}`)).body.result, { status: 0, memberCount: 1 })
    const opened = await gateway.admin('PUT', `/rooms/${room}`, { status: 1 })
    assert.deepEqual([opened.status, opened.body.error.code], [400, 'INVALID_REQUEST'])
  })

  test('is not reused for a new user of the ID: the pair gets a new room each time', async () => {
    const rooms = [room]
    for (let i = 0; i < 3; i++) {
      eve = await gateway.newUser('eve')
      const next = await direct()
      assert.equal(rooms.includes(next), false)
      rooms.push(next)
      for (const by of [bob, eve]) assert.equal((await send(by, next)).status, 200)
      const before = await eve.call('GET', `/rooms/${room}/messages/v3`)
      assert.deepEqual([before.status, before.body.error.code], [403, 'NOT_ROOM_MEMBER'])
      const own = (await eve.call('GET', '/rooms')).body.result.data
      assert.deepEqual(
        own.map(({ _id }: { _id: string }) => _id),
        [next],
      )
      assert.equal(await direct(), next)
      await gateway.admin('DELETE', '/admin/clients/eve')
    }
  })

  test('keeps its _id: creating a room with it is 409 ROOM_EXISTS', async () => {
    eve = await gateway.newUser('eve')
    const body = { _id: room, roomType: 'direct', members: ['bob', 'eve'] }
    const answer = await gateway.admin('POST', '/rooms/', body)
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'ROOM_EXISTS'])
  })
  test('leaves no blocks by the new user of the ID; blocks by others stay', async () => {
    await gateway.admin('DELETE', '/admin/clients/eve')
    const before = await gateway.newUser('eve')
    await before.call('POST', '/blockStatus/my/bob')
    await bob.call('POST', '/blockStatus/my/eve')
    await gateway.admin('DELETE', '/admin/clients/eve')
    eve = await gateway.newUser('eve')
    assert.deepEqual((await eve.call('GET', '/blockStatus/my')).body.result, [])
    const next = await direct()
    assert.equal((await send(bob, next)).status, 200)
    const refused = await send(eve, next)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'USER_BLOCKED'])
    await bob.call('DELETE', '/blockStatus/my/eve')
  })
})

test('a membership without a room does not block the erasure', async () => {
  const { gateway, alice, bob } = await startWithAliceAndBob()
  try {
    const { db } = gateway.chat
    const room = key(gateway.app, await gateway.newRoom([alice, bob]))
    await db.rooms.deleteOne({ _id: room })
    assert.equal((await gateway.admin('DELETE', '/admin/clients/bob')).status, 200)
    const left = await db.memberships.find({ roomKey: room }).toArray()
    assert.deepEqual(
      left.map(({ user }) => user),
      ['alice'],
    )
  } finally {
    await gateway.stop()
  }
})

test.each([
  ['', false],
  [', also in a room that they had left before', true],
])('a new user of the ID of an erased one reads what that one deleted for themselves%s', async (_where, leaves) => {
  const { gateway, alice, bob } = await startWithAliceAndBob()
  try {
    const room = await gateway.newRoom([alice, bob])
    const send = async (more: object = {}) =>
      (await alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text', ...more })).body.result
        ._id as string
    const [first, root] = [await send(), await send()]
    const inThread = await send({ replyTo: root, thread: true })
    assert.equal((await bob.call('POST', '/messages/user-delete/all-in-room', { room })).status, 200)
    const second = await send()
    const deleted = { room, messages: [second, inThread] }
    assert.equal((await bob.call('POST', '/messages/user-delete', deleted)).status, 200)
    if (leaves) await bob.call('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })
    await gateway.admin('DELETE', '/admin/clients/bob')
    const next = await gateway.newUser('bob')
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    const read = async (path: string) => {
      const { data, userDeletedIDs } = (await next.call('GET', path)).body.result
      return { found: data.map(({ _id }: { _id: string }) => _id), userDeletedIDs }
    }
    const history = await read(`/rooms/${room}/messages/v3`)
    assert.deepEqual(history, { found: [second, root, first], userDeletedIDs: [] })
    assert.deepEqual((await read(`/messages/${root}/thread`)).found, [inThread])
  } finally {
    await gateway.stop()
  }
})
