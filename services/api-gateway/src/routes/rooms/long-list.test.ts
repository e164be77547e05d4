import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** A list of more rooms reads parts of them first, and then all that is shown of a page. */
const few = 50

describe('GET /rooms of a user of many rooms', () => {
  let gateway: TestGateway
  let alice: TestUser

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    for (let i = 0; i <= few; i++) {
      const room = await gateway.newRoom([alice], { name: `room ${String(i).padStart(2, '0')}` })
      const message = { message: `hello ${i}`, messageType: 'text' }
      assert.equal((await alice.call('POST', `/rooms/${room}/message`, message)).status, 200)
    }
  })
  afterAll(() => gateway.stop())

  test('has in a page what it has as a whole, after reading memberships once and rooms twice', async () => {
    const { mongo } = gateway.chat.db
    const all = (await alice.call('GET', '/rooms?sort=name&limit=0')).body.result
    await gateway.chat.settler.drained()
    await mongo.command({ profile: 2 })
    const page = (await alice.call('GET', '/rooms?sort=name&limit=20&skip=20')).body.result
    await mongo.command({ profile: 0 })
    assert.deepEqual([all.totalCount, all.data.length, page.totalCount], [few + 1, few + 1, few + 1])
    assert.deepEqual(page.data, all.data.slice(20, 40))
    assert.deepEqual([page.data[0].lastMessage.message, page.data[0].members[0].nickname], ['hello 20', 'Alice'])
    const ofRooms = ['memberships', 'rooms', 'messages', 'users'].map((name) => `${mongo.databaseName}.${name}`)
    const isRead = [{ 'command.find': { $exists: true } }, { 'command.aggregate': { $exists: true } }]
    // Indexing for searches reads in transactions.
    const ofTheList = { ns: { $in: ofRooms }, $or: isRead, 'command.autocommit': { $exists: false } }
    assert.equal(await mongo.collection('system.profile').countDocuments(ofTheList), 3)
  })
})
