import assert from 'node:assert/strict'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, startPlatform } from '../platform.ts'

const roomCount = 20
const atOnce = 30
const maxKills = 5

describe('system messages survive kill -9 of the gateway that changes members', () => {
  let platform: Platform
  let mongo: MongoClient
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    await mongo.close()
    await platform.stop()
  })

  /** Creates rooms and adds members until the gateway is killed with some system messages unsent; returns their number. */
  async function killWhileChanging(round: number): Promise<number> {
    const dying = await platform.start('api-gateway')
    const key = { 'im-api-key': platform.apiKey }
    const recorded = mongo.db().collection('scheduled')
    const said = { systemMessage: true }
    const users = Array.from({ length: 400 }, (_, i) => `${round} user ${i}`)
    await platform.admin('POST', '/admin/clients/list', { data: users.map((_id) => ({ _id })) })
    let done = 0
    let next = 0
    const work = async () => {
      for (let user = users[next++]; user !== undefined; user = users[next++], done++) {
        const room = `${round} room ${next % roomCount}`
        const made = { _id: `${round} of ${user}`, roomType: 'group', members: [user], ...said }
        await call(dying.url, 'POST', '/rooms/', key, made)
        await call(dying.url, 'POST', `/rooms/${encodeURIComponent(room)}/members`, key, { invitees: [user], ...said })
      }
    }
    for (let i = 0; i < roomCount; i++) {
      await platform.admin('POST', '/rooms/', { _id: `${round} room ${i}`, roomType: 'group', members: [users[0]] })
    }
    const working = Promise.allSettled(Array.from({ length: atOnce }, work))
    await eventually('some are done', () => done > 2 * atOnce)
    await dying.kill()
    await working
    return recorded.countDocuments()
  }

  test('each new member is named in exactly one', async () => {
    const db = mongo.db()
    let left = 0
    for (let round = 0; round < maxKills && left === 0; round++) left = await killWhileChanging(round)
    assert.ok(left > 0, 'it was killed between a change and its system message')
    // Expire the killed process's leases.
    await db.collection('scheduled').updateMany({}, { $set: { nextMS: Date.now() } })
    await eventually('all are sent', async () => (await db.collection('scheduled').countDocuments()) === 0)
    const memberships = await db.collection<{ room: string; user: string }>('memberships').find().toArray()
    const first = memberships.filter(({ room, user }) => /room \d+$/.test(room) && user.endsWith('user 0')).length
    await eventually('all are flushed', async () => {
      const buffers = await db.collection('rooms').countDocuments({ 'buffer.0': { $exists: true } })
      return buffers === 0
    })
    const announced = await findAllMessages({ mongo: db }, { messageType: { $in: ['joinRoom', 'addMembers'] } })
    const named = announced.flatMap(({ room, content = '' }) =>
      (JSON.parse(content) as { members: string[] }).members.map((user) => `${room}: ${user}`),
    )
    assert.equal(new Set(named).size, named.length, 'nobody is named twice')
    const joined = memberships.map(({ room, user }) => `${room}: ${user}`)
    const unnamed = joined.filter((one) => !named.includes(one))
    assert.equal(unnamed.length, first, unnamed.join(', '))
  })
})
