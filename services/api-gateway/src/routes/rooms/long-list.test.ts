import assert from 'node:assert/strict'
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** A list of more rooms than this first reads parts of them, then everything for one page. */
const few = 50

/** Rooms with messages this long are sent while the rest is still being read. */
const longText = 'x'.repeat(6_000)

describe('GET /rooms of a user with many rooms', () => {
  let gateway: TestGateway
  let alice: TestUser

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    await gateway.newUser('bob')
    for (let i = 0; i <= few; i++) {
      const room = await gateway.newRoom([alice], { name: `room ${String(i).padStart(2, '0')}` })
      const message = { message: `hello ${i} ${longText}`, messageType: 'text' }
      assert.equal((await alice.call('POST', `/rooms/${room}/message`, message)).status, 200)
    }
  })
  afterEach(() => vi.restoreAllMocks())
  afterAll(() => gateway.stop())

  /** Runs `act` after the list has read its first rooms and before it reads the others. */
  function afterFirstRooms(act: () => Promise<unknown>): void {
    const { rooms } = gateway.chat.db
    const aggregate = rooms.aggregate.bind(rooms)
    vi.spyOn(rooms, 'aggregate').mockImplementationOnce((...given) => {
      const cursor = aggregate(...given)
      const toArray = cursor.toArray.bind(cursor)
      return Object.assign(cursor, {
        toArray: async () => {
          const found = await toArray()
          await act()
          return found
        },
      })
    })
  }

  test('returns the same in pages as in whole, reading memberships once and rooms twice', async () => {
    const { mongo } = gateway.chat.db
    const all = (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result
    await gateway.chat.flusher.drained()
    await mongo.command({ profile: 2 })
    const page = (await alice.call('GET', '/rooms?sort=name&limit=20&skip=20')).body.result
    await mongo.command({ profile: 0 })
    assert.deepEqual([all.totalCount, all.data.length, page.totalCount], [few + 1, few + 1, few + 1])
    assert.deepEqual(page.data, all.data.slice(20, 40))
    assert.deepEqual(
      [page.data[0].lastMessage.message, page.data[0].members[0].nickname],
      [`hello 20 ${longText}`, 'Alice'],
    )
    const ofRooms = ['memberships', 'rooms', 'messages', 'users'].map((name) => `${mongo.databaseName}.${name}`)
    const isRead = [{ 'command.find': { $exists: true } }, { 'command.aggregate': { $exists: true } }]
    // Search indexing reads in transactions.
    const ofTheList = { ns: { $in: ofRooms }, $or: isRead, 'command.autocommit': { $exists: false } }
    const reads = await mongo.collection('system.profile').find(ofTheList).toArray()
    assert.equal(reads.length, 3)
    // A room, the caller's membership, the last message and the member of each.
    const ofRoomsShown = reads.find(({ command }) => command.aggregate === 'rooms')
    assert.ok(ofRoomsShown?.['docsExamined'] <= 4 * 20, JSON.stringify(ofRoomsShown))
  })

  test('omits a room that the user left before it was read', async () => {
    const whole = (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result
    const { _id, name } = whole.data.at(-1)
    await gateway.admin('POST', `/rooms/${_id}/members`, { invitees: ['bob'] })
    afterFirstRooms(async () => {
      await gateway.admin('POST', `/rooms/${_id}/delete/members`, { members: ['alice'] })
      const message = { room: _id, sender: 'bob', message: 'secret', messageType: 'text' }
      assert.equal((await gateway.admin('POST', '/messages', message)).status, 200)
    })
    const { data } = (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result
    assert.deepEqual(
      data.map((room: { _id: string }) => room._id),
      whole.data.slice(0, -1).map((room: { _id: string }) => room._id),
    )
    assert.doesNotMatch(JSON.stringify(data), new RegExp(`secret|${name}`))
    await gateway.admin('POST', `/rooms/${_id}/members`, { invitees: ['alice'] })
  })

  test('shows the unread count and preferences as of the last message', async () => {
    const whole = (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result
    const { _id, unread } = whole.data.at(-1)
    await gateway.admin('POST', `/rooms/${_id}/members`, { invitees: ['bob'] })
    afterFirstRooms(async () => {
      const message = { room: _id, sender: 'bob', message: 'news', messageType: 'text' }
      assert.equal((await gateway.admin('POST', '/messages', message)).status, 200)
      assert.equal((await alice.call('POST', `/me/mute/${_id}`)).status, 200)
    })
    const { data } = (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result
    const { lastMessage, ...room } = data.at(-1)
    assert.deepEqual([room._id, lastMessage.message, room.unread, room.muted], [_id, 'news', unread + 1, true])
  })

  test('shows a stub for a latest message that the user deleted for themselves', async () => {
    const list = async () => (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result.data
    const { _id, lastMessage } = (await list())[3]
    const deleted = { room: _id, messages: [lastMessage._id] }
    assert.equal((await alice.call('POST', '/messages/user-delete', deleted)).status, 200)
    const shown = (await list()).map((room: { lastMessage: { message?: string } }) => room.lastMessage.message)
    assert.deepEqual(
      shown.map((message?: string) => message === undefined),
      Array.from({ length: few + 1 }, (_, i) => i === 3),
    )
  })

  test('is aborted when the token is replaced before everything was read', async () => {
    const { call } = await gateway.newUser('alice')
    afterFirstRooms(() => gateway.newUser('alice'))
    await assert.rejects(call('GET', '/rooms?sort=name&limit=0'), { name: 'TypeError' })
    assert.equal((await call('GET', '/rooms')).status, 401)
  })
})
