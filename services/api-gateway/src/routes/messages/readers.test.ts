import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('GET /messages/{id}/readers', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let room: string

  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob, carol] = await Promise.all([gateway.newUser(), gateway.newUser(), gateway.newUser()])
    room = await gateway.newRoom([alice, bob, carol])
  })
  afterAll(() => gateway.stop())

  const send = async (to = room): Promise<string> => {
    const message = { room: to, sender: alice.id, message: 'x', messageType: 'text' }
    return (await gateway.admin('POST', '/messages', message)).body.result._id
  }
  const read = (user: TestUser, message: string) => user.call('PUT', `/rooms/${room}/lastRead`, { message })
  const readersOf = async (message: string): Promise<string[]> => {
    const { status, body } = await bob.call('GET', `/messages/${message}/readers`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.result.totalCount, body.result.data.length)
    return body.result.data.map(({ _id }: { _id: string }) => _id)
  }

  test('returns the members whose marker has reached the message, without its sender', async () => {
    const [first, second] = [await send(), await send()]
    assert.deepEqual(await readersOf(first), [])
    await read(bob, first)
    await read(alice, second)
    assert.deepEqual([await readersOf(first), await readersOf(second)], [[bob.id], []])
    await read(carol, second)
    // They joined at the same time.
    assert.deepEqual([await readersOf(first), await readersOf(second)], [[bob.id, carol.id].toSorted(), [carol.id]])
  })

  test('of a threaded message omits members who left the room', async () => {
    const other = await gateway.newRoom([alice, bob, carol])
    const root = await send(other)
    const inThread = { room: other, message: 'x', messageType: 'text', replyTo: root, thread: true }
    const first = (await gateway.admin('POST', '/messages', { ...inThread, sender: alice.id })).body.result._id
    for (const { id } of [bob, carol]) await gateway.admin('POST', '/messages', { ...inThread, sender: id })
    for (const user of [bob, carol]) await user.call('PUT', `/messages/${root}/thread/lastRead`, { message: first })
    assert.deepEqual(new Set(await readersOf(first)), new Set([bob.id, carol.id]))
    await gateway.admin('POST', `/rooms/${other}/delete/members`, { members: [carol.id] })
    assert.deepEqual(await readersOf(first), [bob.id])
  })

  test("has the time of each last report, the message's room, and the member count", async () => {
    const message = await send()
    const before = Date.now()
    await read(bob, message)
    const { result } = (await alice.call('GET', `/messages/${message}/readers`)).body
    assert.deepEqual([result.messageID, result.roomID, result.memberCount], [message, room, 3])
    const [{ lastReadTimeMS, _id }] = result.data
    assert.equal(_id, bob.id)
    assert.ok(lastReadTimeMS >= before && lastReadTimeMS <= Date.now())
  })

  test('omits later members until they read something', async () => {
    const message = await send()
    const late = await gateway.newUser()
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [late.id] })
    assert.ok(!(await readersOf(message)).includes(late.id))
    await late.call('POST', '/messages/user-delete', { room, messages: [await send()] })
    await late.call('POST', '/messages/user-delete/all-in-room', { room })
    assert.ok(!(await readersOf(message)).includes(late.id), 'deleting something for oneself is not reading')
    await read(late, await send())
    assert.ok((await readersOf(message)).includes(late.id))
  })

  test('is open to members and the API key of the app', async () => {
    const message = await send()
    const [stranger, other] = [await gateway.newUser(), await startTestGateway()]
    try {
      const refused = await stranger.call('GET', `/messages/${message}/readers`)
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'NOT_ROOM_MEMBER'])
      assert.equal((await gateway.admin('GET', `/messages/${message}/readers`)).status, 200)
      // The other app has a user and a room with the same IDs.
      const namesake = await other.newUser(bob.id)
      await other.newRoom([namesake], { _id: room })
      for (const caller of [other.admin, namesake.call]) {
        const elsewhere = await caller('GET', `/messages/${message}/readers`)
        assert.deepEqual([elsewhere.status, elsewhere.body.error.code], [404, 'MESSAGE_NOT_FOUND'])
      }
    } finally {
      await other.stop()
    }
  })

  test('a deleted or unknown message is 404 MESSAGE_NOT_FOUND', async () => {
    const message = await send()
    await gateway.admin('DELETE', `/rooms/${room}/messages/${message}`)
    for (const id of [message, 'no-such-message']) {
      const { status, body } = await bob.call('GET', `/messages/${id}/readers`)
      assert.deepEqual([status, body.error.code], [404, 'MESSAGE_NOT_FOUND'])
    }
  })

  test('a room of more than 1,000 members is 413 RESULT_TOO_LARGE', async () => {
    const large = await gateway.newRoom([alice, bob])
    const message = await send(large)
    const has = (memberCount: number) =>
      gateway.chat.db.rooms.updateOne({ _id: key(gateway.app, large) }, { $set: { memberCount } })
    await has(1_000)
    assert.equal((await bob.call('GET', `/messages/${message}/readers`)).status, 200)
    await has(1_001)
    const { status, body } = await bob.call('GET', `/messages/${message}/readers`)
    assert.deepEqual([status, body.error.code], [413, 'RESULT_TOO_LARGE'])
  })
})
