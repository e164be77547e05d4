import assert from 'node:assert/strict'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import type { CommandStartedEvent } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { idsOf } from '../keys.ts'
import { changeMessage, changeMessages } from '../messages/change-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { findLastSent, newId } from '../messages/messages.ts'
import { insertFlushed } from '../room-buffer/flush.ts'
import { giveBackDatabase, takeDatabase } from '../test-database.ts'
import { inTransaction } from '../transactions/transaction.ts'
import { findAllMessages } from './all-messages.ts'
import { bucketKey, moveFromBuckets, perBucket } from './buckets.ts'
import { countInBuckets, findMessages } from './find-messages.ts'

const bySeq = ([a]: unknown[], [b]: unknown[]) => Number(a) - Number(b)

describe('a bucket', () => {
  let db: Db
  let commands: CommandStartedEvent[] = []
  beforeAll(async () => {
    const url = withDatabase((await testServers()).mongoUrl, await takeDatabase())
    db = await connectDb(url, { onCommand: (command) => commands.push(command) })
  })
  afterAll(async () => {
    await db.client.close()
    await giveBackDatabase(db.mongo.databaseName)
  })

  const sent = (roomKey: string, seq: number, sender = 'alice'): MessageDoc => ({
    ...{ _id: newId(), app: 'app', room: 'room', roomKey, seq, sender, messageType: 'text', content: '"x"' },
    ...{ createdAtMS: seq, updatedAtMS: seq },
  })

  test('is held for the next attempt of a transaction that conflicted with a flush; flushes wait, and lose nothing', async () => {
    const [first, ...others] = Array.from({ length: perBucket }, (_, i) => sent('held', i + 1)) as [
      MessageDoc,
      ...MessageDoc[],
    ]
    await insertFlushed(db, [first])
    const flushes: Promise<void>[] = []
    let runs = 0
    await inTransaction(db, async (session) => {
      await db.messages.findOne({ _id: first._id }, { session })
      const flushed = insertFlushed(db, [others[runs++] as MessageDoc])
      flushes.push(flushed)
      if (runs === 1) await flushed
      else assert.ok((await db.messageBuckets.findOne({ _id: bucketKey('held', 1) }))?.heldUntil, 'flushes wait')
      await changeMessage(db, first, { set: { pinned: true } }, 99, session)
    })
    assert.equal(runs, 2)
    await Promise.all(flushes)
    const found = await findAllMessages(db, { roomKey: 'held' })
    assert.deepEqual(
      found.map(({ seq, pinned }) => [seq, pinned]).toSorted(([a], [b]) => Number(a) - Number(b)),
      [
        [1, true],
        [2, undefined],
        [3, undefined],
      ],
    )
    const bucket = await db.messageBuckets.findOne({ _id: bucketKey('held', 1) })
    assert.equal(bucket?.heldUntil, undefined, 'the change ends the hold')
  })

  test("counts a sender's messages and finds the last one, even after they have moved; repeated flushes change nothing", async () => {
    const all = Array.from({ length: 4 * perBucket }, (_, i) =>
      sent('counts', i + 1, i % perBucket === 5 ? 'bob' : 'alice'),
    )
    await insertFlushed(db, all)
    const count = (sender: string) => countInBuckets(db, 'counts', { after: 0, upTo: all.length }, { sender })
    assert.deepEqual([await count('alice'), await count('bob'), await count('carol')], [4 * (perBucket - 1), 4, 0])
    const last = all.findLast(({ sender }) => sender === 'bob') as MessageDoc
    for (let i = 0; i < 2; i++) {
      const found = await findLastSent(db, 'counts', ['alice', 'bob', 'carol'])
      assert.deepEqual(Object.fromEntries(found), { alice: all.length, bob: last.seq })
      await inTransaction(db, (session) => moveFromBuckets(db, 'counts', { after: 10, upTo: all.length }, session))
      await insertFlushed(db, all)
    }
    assert.deepEqual([await count('alice'), await count('bob')], [9, 1])
    assert.equal((await findMessages(db, [last._id])).length, 1)
    assert.equal((await findAllMessages(db, { roomKey: 'counts' })).length, all.length)
  })

  test('thousands of messages are found by their IDs, with a bounded number of IDs per query', async () => {
    const all = Array.from({ length: 1_200 }, (_, i) => sent('many', i + 1))
    await insertFlushed(db, all)
    await inTransaction(db, (session) => moveFromBuckets(db, 'many', { after: 490, upTo: 510 }, session))
    commands = []
    const found = await findMessages(db, [...idsOf(all), ...idsOf(all)])
    assert.deepEqual(
      found.map(({ seq }) => seq).toSorted((a, b) => a - b),
      all.map(({ seq }) => seq),
    )
    const sizes = commands.map(
      ({ command }) => command.pipeline?.[1].$project.messages.$filter.cond.$in[1].$literal.length,
    )
    assert.deepEqual(sizes, [500, 500, 200])
  })

  test('a hundred messages of several rooms change in a few statements, in buckets and apart', async () => {
    const all = Array.from({ length: 100 }, (_, i) => sent(i < 60 ? 'one' : 'two', i + 1))
    await insertFlushed(db, all)
    await inTransaction(db, (session) => moveFromBuckets(db, 'one', { after: 10, upTo: 20 }, session))
    const others = [sent('one', 101), sent('two', 102)]
    await insertFlushed(db, others)
    commands = []
    const changeOf = ({ seq }: MessageDoc) => ({ set: { content: `"${seq}"` } })
    const changed = await inTransaction(db, (session) => changeMessages(db, all, changeOf, 999, session))
    assert.ok(commands.length <= 4, commands.map(({ commandName }) => commandName).join())
    assert.deepEqual(idsOf(changed), idsOf(all))
    for (const roomKey of ['one', 'two']) {
      const found = await findAllMessages(db, { roomKey })
      const own = [...all, ...others].filter((message) => message.roomKey === roomKey)
      assert.deepEqual(
        found.map(({ seq, content, updatedAtMS }) => [seq, content, updatedAtMS]).toSorted(bySeq),
        own.map(({ seq }) => (seq > 100 ? [seq, '"x"', seq] : [seq, `"${seq}"`, 999])),
      )
    }
    assert.equal(await db.messages.countDocuments({ seq: { $gt: 100 }, roomKey: { $in: ['one', 'two'] } }), 0)
  })
})
