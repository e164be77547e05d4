import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { newUserDoc } from '@parley/db/users/users'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

const many = 2_000

describe('users and rooms of a large app are counted by index-only reads', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
    const { app, chat } = gateway
    const alice = await gateway.newUser('alice')
    const [room, gone] = [await gateway.newRoom([alice]), await gateway.newRoom([alice])]
    await gateway.admin('DELETE', `/rooms/${gone}`)
    await gateway.admin('POST', '/admin/groups', { _id: 'a group', nickname: 'x', members: ['alice'] })
    await chat.db.users.insertMany(Array.from({ length: many }, (_, i) => newUserDoc(app, `user ${i}`, {})))
    const one = await chat.db.rooms.findOne({ _id: key(app, room) })
    assert.ok(one)
    const rooms = Array.from({ length: many }, (_, i) => ({ ...one, _id: key(app, `room ${i}`), id: `room ${i}` }))
    await chat.db.rooms.insertMany(rooms)
  })
  afterAll(() => gateway.stop())

  /** A request's response, and how many documents of a collection the database reads for it. */
  async function recorded(path: string, collection: string) {
    const { mongo } = gateway.chat.db
    await mongo.collection('system.profile').drop()
    await mongo.command({ profile: 2, slowms: 0 })
    const { status, body } = await gateway.admin('GET', path)
    await mongo.command({ profile: 0 })
    assert.equal(status, 200, JSON.stringify(body))
    const ns = `${mongo.databaseName}.${collection}`
    const entries = await mongo.collection('system.profile').find({ ns }).toArray()
    assert.ok(entries.length > 0)
    const docs = entries.reduce((sum: number, entry) => sum + Number(entry['docsExamined'] ?? 0), 0)
    return { result: body.result, docs }
  }

  test('GET /admin/clients without a filter', async () => {
    const { result, docs } = await recorded('/admin/clients?limit=5', 'users')
    assert.deepEqual([result.totalCount, result.data.length], [many + 1, 5])
    assert.ok(docs < 20, `${docs} documents`)
  })

  test('GET /admin/stats', async () => {
    const { result, docs } = await recorded('/admin/stats', 'rooms')
    assert.equal(result.totalRoomCount, many + 1)
    assert.ok(docs < 20, `${docs} documents`)
  })
})
