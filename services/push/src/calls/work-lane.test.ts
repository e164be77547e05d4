import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectDb, type Db } from '@parley/db/connect'
import { migrate, migrateTimeoutMS } from '@parley/db/migrate'
import { type CallToQueue, findDueLanes, queueCalls, takeLanes } from '@parley/db/push/outgoing-calls'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { createLaneWork, type WorkLaneParts } from './work-lane.ts'

describe('the calls of a lane', () => {
  let db: Db
  beforeAll(async () => {
    const { mongoUrl } = await testServers()
    const database = `lane_${randomUUID().replaceAll('-', '')}`
    db = await connectDb(withDatabase(mongoUrl, database), { timeoutMS: migrateTimeoutMS })
    await migrate(db)
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  const call = (order: number): CallToQueue => ({
    ...{ _id: `hook_${order}`, app: 'shop', kind: 'webhook', lane: 'shop\0room', target: 'http://hook', order },
    ...{ room: 'room', event: 'MESSAGE', client: 'alice', data: '{}' },
  })

  test('stay in order when an earlier one is queued while it is asked whether a later one is next', async () => {
    await queueCalls(db, [call(2)])
    const [lane] = await takeLanes(db, await findDueLanes(db, 'http://hook', 1), 60_000)
    assert.ok(lane)
    const made: string[] = []
    const parts = {
      ...{ db, retryMS: 60_000, leaseMS: 60_000, log: { warn: vi.fn() }, metrics: { results: { inc: vi.fn() } } },
      onTried: () => undefined,
      deliver: ({ _id }: { _id: string }) =>
        Promise.resolve({ as: 'done', answer: '', isAnswered: made.push(_id) < 0 }),
      // Another process handles the event before, and acknowledges it.
      isNext: async () => {
        await queueCalls(db, [call(1)])
        return true
      },
    }
    await createLaneWork(parts as unknown as WorkLaneParts, new AbortController().signal)(lane)
    assert.deepEqual(made, ['hook_1', 'hook_2'])
  })
})
