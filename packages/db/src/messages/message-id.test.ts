import assert from 'node:assert/strict'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { ObjectId } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { idsOf } from '../keys.ts'
import { bucketKey, moveFromBuckets, perBucket } from '../message-buckets/buckets.ts'
import { findMessages } from '../message-buckets/find-messages.ts'
import { insertFlushed } from '../room-buffer/flush.ts'
import { giveBackDatabase, takeDatabase } from '../test-database.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { MessageDoc } from './documents.ts'
import { newMessageID, roomHash } from './message-id.ts'
import { findMessagesOfSecond, findNextMessageMS } from './messages-of-second.ts'

describe('message IDs', () => {
  let db: Db
  beforeAll(async () => {
    db = await connectDb(withDatabase((await testServers()).mongoUrl, await takeDatabase()))
  })
  afterAll(async () => {
    await db.client.close()
    await giveBackDatabase(db.mongo.databaseName)
  })

  const idAt = (second: number) => new ObjectId(ObjectId.generate(second)).toHexString()
  const sent = (roomKey: string, seq: number, _id: string): MessageDoc => ({
    ...{ _id, app: 'app', room: roomKey, roomKey, seq, sender: 'alice', messageType: 'text', content: '"x"' },
    ...{ createdAtMS: seq, updatedAtMS: seq },
  })

  test('grow with the seq of a room', () => {
    const ids = Array.from({ length: 300 }, (_, i) => newMessageID({ roomKey: 'grow', seq: i + 1 }))
    assert.deepEqual(ids.toSorted(), ids)
    assert.equal(new Set(ids.map((id) => id.length)).size, 1)
  })

  test('of a full bucket share one key of the index', async () => {
    const seqs = Array.from({ length: perBucket }, (_, i) => i + 1)
    const messages = seqs.map((seq) => sent('full', seq, newMessageID({ roomKey: 'full', seq })))
    await insertFlushed(db, messages.slice(0, 10))
    await insertFlushed(db, messages.slice(10))
    const bucket = await db.messageBuckets.findOne({ _id: bucketKey('full', 1) })
    assert.equal(bucket?.messages.length, perBucket)
    assert.equal(bucket?.idKeys.length, 1)
  })

  test('find their messages, whichever seq the message got and whoever made the ID', async () => {
    // Their CRC-32 is the same.
    const [one, other] = ['plumless', 'buckeroo'] as const
    assert.equal(roomHash(one), roomHash(other))
    const sentMessages = [
      sent(one, 1, newMessageID({ roomKey: one, seq: 1 })),
      sent(other, 1, newMessageID({ roomKey: other, seq: 1 })),
      // Other gateways sent in between.
      sent(one, 500, newMessageID({ roomKey: one, seq: 2 })),
      sent(one, 2, newMessageID({ roomKey: other, seq: 900 })),
      sent(one, 3, idAt(1_600_000_000)),
      sent(one, 4, 'imported 4'),
      sent(one, 5, 'f'.repeat(32)),
      sent(one, 2 ** 32 + 7, newMessageID({ roomKey: one, seq: 2 ** 32 + 7 })),
    ]
    await insertFlushed(db, sentMessages)
    for (const { _id, roomKey, seq } of sentMessages) {
      for (const filter of [{}, { app: 'app' }, { roomKey }]) {
        const found = await findMessages(db, [_id], filter)
        assert.deepEqual(
          found.map((message) => [message.roomKey, message.seq]),
          [[roomKey, seq]],
        )
      }
      const inTransactionToo = await inTransaction(db, (session) => findMessages(db, [_id], { session }))
      assert.equal(inTransactionToo.length, 1)
      assert.deepEqual(await findMessages(db, [_id], { roomKey: 'another' }), [])
    }
    const unknown = newMessageID({ roomKey: one, seq: 1 })
    assert.deepEqual(await findMessages(db, [unknown, 'nothing']), [])
    const all = await findMessages(db, idsOf(sentMessages))
    assert.equal(all.length, sentMessages.length)
  })

  test('are found by second in buckets and apart, each second once, without those that were imported', async () => {
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
    await inTransaction(db, (session) => moveFromBuckets(db, 'a', { after: 0, upTo: 1 }, session))
    await db.messages.deleteOne({ _id: first })

    const found: string[] = []
    let steps = 0
    const [fromMS, untilMS] = [1_700_000_000_000, 1_700_001_000_000]
    for (let atMS = await findNextMessageMS(db, fromMS); atMS !== undefined && atMS < untilMS; steps++) {
      for (const { _id } of await findMessagesOfSecond(db, atMS, atMS + 1_000)) found.push(_id)
      atMS = await findNextMessageMS(db, atMS + 1_000)
    }
    assert.deepEqual(found, [second, third, fourth])
    assert.equal(steps, 3)
  })
})
