import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import * as fc from 'fast-check'
import { test } from 'vitest'
import { connectDb } from '../connect.ts'
import { bucketLevels, levels } from '../statistics/buckets.ts'
import { countByRoom } from '../statistics/counted-messages.ts'
import { ImportedStats } from './imported-stats.ts'

const dayMS = bucketLevels.day.sizeMS

test('messages are counted exactly at every level, however often the buffer is flushed', async () => {
  const { mongoUrl } = await testServers()
  const db = await connectDb(withDatabase(mongoUrl, `imported_stats_${randomUUID().replaceAll('-', '')}`))
  const endMS = Date.now() - (Date.now() % dayMS)
  const message = fc.record({ room: fc.constantFrom('a', 'b', 'c'), afterMS: fc.integer({ min: 0, max: 1_500_000 }) })
  const imported = fc.record({
    messages: fc.array(message, { minLength: 1, maxLength: 25 }),
    maxBuffered: fc.integer({ min: 1, max: 30 }),
  })
  let run = 0
  await fc.assert(
    fc.asyncProperty(imported, async ({ messages, maxBuffered }) => {
      const app = `app ${run++}`
      const seqs = new Map<string, number>()
      let atMS = endMS - dayMS
      const facts = messages.map(({ room, afterMS }) => {
        atMS += afterMS
        const seq = (seqs.get(room) ?? 0) + 1
        seqs.set(room, seq)
        return { app, room, user: 'alice', seq, atMS }
      })
      const stats = new ImportedStats(db, maxBuffered)
      // Add everything twice, as a repeated import does.
      for (const fact of [...facts, ...facts]) await stats.add([fact])
      await stats.write()
      for (const level of levels) {
        const counts = await countByRoom(db, app, [{ level, fromMS: endMS - dayMS, toMS: endMS }])
        assert.deepEqual(counts, seqs, level)
      }
    }),
    { numRuns: 12 },
  )
  await db.mongo.dropDatabase()
  await db.client.close()
})
