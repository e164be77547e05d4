import assert from 'node:assert/strict'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { TestGateway, TestUser } from '../../test-gateway.ts'
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

const newRoom = () => gateway.newRoom([owner, member], { owner: 'owner' })

describe('system messages', () => {
  type Shown = { messageType: string; sender: { _id: string } }
  const shownIn = async (room: string) =>
    (await owner.call('GET', `/rooms/${room}/messages/v3`)).body.result.data.map(({ messageType, sender }: Shown) => [
      messageType,
      sender._id,
    ])

  test('carry `system: true` in the history, and their sender can neither edit nor recall them', async () => {
    const room = await newRoom()
    await add(owner, room, [carl.id], { systemMessage: true })
    await take(carl, room, [carl.id], { systemMessage: true })
    await owner.call('POST', `/rooms/${room}/message`, { message: 'hello', messageType: 'text' })
    const { body } = await owner.call('GET', `/rooms/${room}/messages/v3`)
    const shown = body.result.data.map(({ messageType, system }: Record<string, unknown>) => [messageType, system])
    assert.deepEqual(shown, [
      ['text', undefined],
      ['leaveRoom', true],
      ['addMembers', true],
    ])
    const { _id } = body.result.data[2]
    for (const change of [{ message: 'Carl is a thief' }, { messageType: 'recall' }]) {
      const changed = await owner.call('POST', `/rooms/${room}/message`, { _id, ...change })
      assert.deepEqual([changed.status, changed.body.error.code], [403, 'INSUFFICIENT_PERMISSIONS'])
    }
  })

  test('have types that callers cannot send or edit to: 400 INVALID_REQUEST', async () => {
    const room = await newRoom()
    const { body } = await owner.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
    const { _id } = body.result
    const later = { room, message: 'x', messageType: 'text', sendAtMS: Date.now() + 60_000 }
    const scheduled = await owner.call('POST', '/scheduled', later)
    for (const messageType of ['joinRoom', 'addMembers', 'leaveRoom', 'deleteMember']) {
      for (const [method, path, fields] of [
        ['POST', `/rooms/${room}/message`, { message: 'x', messageType }],
        ['POST', `/rooms/${room}/message`, { _id, message: 'x', messageType }],
        ['PUT', `/scheduled/${scheduled.body.result.id}`, { messageType }],
      ] as const) {
        const refused = await owner.call(method, path, fields)
        assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_REQUEST'], messageType)
        assert.match(String(refused.body.error.message), /^messageType: /)
      }
    }
    await owner.call('DELETE', `/scheduled/${scheduled.body.result.id}`)
    assert.deepEqual(await shownIn(room), [['text', 'owner']])
  })

  test("about a banned user's room changes by others are written, under bans in the room and from the app", async () => {
    const room = await newRoom()
    const banned = await gateway.newUser()
    await add(owner, room, [banned.id])
    await gateway.admin('POST', `/admin/clients/${banned.id}/ban`, {})
    await owner.call('POST', `/blockStatus/room/${room}/member`)
    const said = { systemMessage: true }
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: [banned.id], ...said })
    await take(admin, room, ['member'], said)
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['member'], ...said })
    await add(admin, room, [banned.id], said)
    // For the banned user's own action none is written.
    assert.equal((await take(member, room, ['member'], said)).status, 200)
    assert.deepEqual(await shownIn(room), [
      ['addMembers', banned.id],
      ['addMembers', 'member'],
      ['deleteMember', 'member'],
      ['deleteMember', banned.id],
    ])
    const made = { roomType: 'group', members: ['owner', banned.id], owner: banned.id, ...said }
    const { body } = await gateway.admin('POST', '/rooms/', made)
    assert.deepEqual(await shownIn(body.result._id), [['joinRoom', banned.id]])
  })

  test('are written once if a user leaves twice at once or retries a failure, and again after a return', async () => {
    const room = await newRoom()
    const leave = () => take(member, room, ['member'], { systemMessage: true })
    const twice = await Promise.all([leave(), leave()])
    assert.ok(twice.some(({ status }) => status === 200))
    assert.deepEqual(await shownIn(room), [['leaveRoom', 'member']])

    await add(owner, room, ['member'])
    const { outbox } = gateway.chat
    const store = outbox.add.bind(outbox)
    let hasFailed = false
    outbox.add = async (...about) => {
      if (!JSON.stringify(about[0]).includes('removedFromRoom')) return store(...about)
      outbox.add = store
      hasFailed = true
      throw new Error('the gateway is killed')
    }
    assert.equal((await leave()).status, 500)
    assert.ok(hasFailed)
    assert.equal((await leave()).status, 200)
    assert.deepEqual(await shownIn(room), [
      ['leaveRoom', 'member'],
      ['leaveRoom', 'member'],
    ])
  })
})

describe('a system message that cannot be written at once', () => {
  test("is written later, and stays out of the users' scheduled messages", async () => {
    const room = await newRoom()
    const appendMessage = gateway.chat.appendMessage.bind(gateway.chat)
    gateway.chat.appendMessage = () => Promise.reject(new Error('the database is away'))
    const { status } = await add(owner, room, [carl.id], { systemMessage: true })
    gateway.chat.appendMessage = appendMessage
    assert.equal(status, 200)
    for (const by of [gateway.admin, owner.call]) {
      const { body } = await by('GET', '/scheduled')
      assert.deepEqual(body.result.data, [])
    }
    const { db } = gateway.chat
    const [waiting] = await db.scheduled.find({ room }).toArray()
    assert.equal((await gateway.admin('DELETE', `/scheduled/${waiting?.id}`)).status, 404)
    await db.scheduled.updateMany({ room }, { $set: { nextMS: Date.now() } })
    assert.equal(await sendDue(gateway.chat), 1)
    const { body } = await owner.call('GET', `/rooms/${room}/messages/v3`)
    assert.deepEqual(
      body.result.data.map(({ messageType }: { messageType: string }) => messageType),
      ['addMembers'],
    )
    assert.equal(await db.scheduled.countDocuments({ room }), 0)
  })
})
