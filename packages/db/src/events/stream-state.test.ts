import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { StreamStateDoc } from './documents.ts'
import { endRebuilding, findStreamState, insertStreamState, recordRebuilt } from './stream-state.ts'

test('a process whose lease has expired does not restart a replay that another process finished', async () => {
  const { mongoUrl } = await testServers()
  const db = await connectDb(withDatabase(mongoUrl, `stream_state_${randomUUID().replaceAll('-', '')}`))
  const rebuilding = { sinceMS: 1_000, untilMS: 3_000, doneUpToMS: 1_000, afterSeq: 7, leaseUntilMS: 1 }
  const state: StreamStateDoc = {
    ...{ _id: 'events', created: 'now', seq: 7, seenAtMS: 3_000, handledUpToMS: 3_000, losses: 1 },
    rebuilding,
  }
  await insertStreamState(db, state)
  assert.equal(await recordRebuilt(db, state, 2_000, 20_000), true)
  await endRebuilding(db, state, rebuilding.sinceMS)
  assert.equal(await recordRebuilt(db, state, 2_000, 20_000), false)
  assert.equal((await findStreamState(db, state._id))?.rebuilding, undefined)
  await db.mongo.dropDatabase()
  await db.client.close()
})
