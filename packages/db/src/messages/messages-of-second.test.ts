import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { ObjectId } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { moveFromBuckets } from '../message-buckets/buckets.ts'
import { migrate, migrateTimeoutMS } from '../migrate.ts'
import { insertFlushed } from '../room-buffer/flush.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { MessageDoc } from './documents.ts'
import { findMessagesOfSecond, findNextMessageMS } from './messages-of-second.ts'

describe('messages by the second of their IDs', () => {
  let db: Db
  beforeAll(async () => {
    const { mongoUrl } = await testServers()
    const url = withDatabase(mongoUrl, `seconds_${randomUUID().replaceAll('-', '')}`)
    db = await connectDb(url, { timeoutMS: migrateTimeoutMS })
    await migrate(db)
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  const idAt = (second: number) => new ObjectId(ObjectId.generate(second)).toHexString()
  const sent = (roomKey: string, seq: number, _id: string): MessageDoc => ({
    ...{ _id, app: 'app', room: roomKey, roomKey, seq, sender: 'alice', messageType: 'text', content: '"x"' },
    ...{ createdAtMS: seq, updatedAtMS: seq },
  })

  test('are found in buckets and apart, each second once, without those that were imported', async () => {
    const seconds = [1_700_000_000, 1_700_000_010, 1_700_000_020, 1_700_000_030] as const
    const [first, second, third, fourth] = seconds.map(idAt) as [string, string, string, string]
    await insertFlushed(db, [sent('a', 1, first), sent('a', 2, fourth), sent('b', 1, second), sent('c', 1, third)])
    // An imported ID may be of any form, also between those of two seconds.
    await db.messages.insertMany([
      sent('d', 1, `${second.slice(0, 23)}~`),
      sent('d', 2, 'message 7'),
      sent('d', 3, 'abc'),
    ])
    // Its bucket keeps a later message.
    await inTransaction(db, (session) => moveFromBuckets(db, 'a', { afterSeq: 0, upToSeq: 1 }, session))
    await db.messages.deleteOne({ _id: first })

    const found: string[] = []
    let steps = 0
    for (let atMS = await findNextMessageMS(db, 0); atMS !== undefined; steps++) {
      for (const { _id } of await findMessagesOfSecond(db, atMS, atMS + 1_000)) found.push(_id)
      atMS = await findNextMessageMS(db, atMS + 1_000)
    }
    assert.deepEqual(found, [second, third, fourth])
    assert.equal(steps, 3)
  })
})
