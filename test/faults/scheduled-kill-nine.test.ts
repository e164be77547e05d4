import assert from 'node:assert/strict'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, startPlatform } from '../platform.ts'

const count = 300

describe('scheduled messages survive kill -9 of the gateway that sends them', () => {
  let platform: Platform
  let mongo: MongoClient
  beforeAll(async () => {
    platform = await startPlatform()
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    await mongo.close()
    await platform.stop()
  })

  test('each is sent exactly once', async () => {
    const dying = await platform.start('api-gateway')
    await platform.start('api-gateway')
    const alice = await platform.newUser('alice')
    const room = await platform.newRoom([alice.id])
    const sendAtMS = Date.now() + 3_600_000
    const body = { room, sender: alice.id, message: 'later', messageType: 'text', sendAtMS, push: false }
    const waiting = Array.from({ length: count }, (_, i) => ({ ...body, clientMessageID: `later ${i}` }))
    for (const one of waiting) await platform.admin('POST', '/scheduled', one)
    const db = mongo.db()
    const rooms = db.collection<{ id: string; seq: number }>('rooms')
    const seq = async () => (await rooms.findOne({ id: room }))?.seq ?? 0
    // Make all messages due.
    await db.collection('scheduled').updateMany({}, { $set: { nextMS: Date.now() } })
    await eventually('some are sent', async () => (await seq()) > 0, 120)
    await dying.kill()
    await eventually('no message waits', async () => (await db.collection('scheduled').countDocuments()) === 0, 120)
    await eventually('all are flushed', async () => (await findAllMessages({ mongo: db }, {})).length >= count, 120)
    const sent = await findAllMessages({ mongo: db }, { room })
    assert.deepEqual([sent.length, new Set(sent.map(({ clientMessageID }) => clientMessageID)).size], [count, count])
    assert.equal(await seq(), count)

    const { _id } = await platform.admin('POST', '/messages', { ...body, sendAtMS: undefined, expiresInS: 1 })
    const messages = db.collection<{ _id: string; isDeleted?: boolean }>('messages')
    await eventually('a message expires', async () => (await messages.findOne({ _id: String(_id) }))?.isDeleted, 120)
  })
})
