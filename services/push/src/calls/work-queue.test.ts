import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectDb, type Db } from '@parley/db/connect'
import { migrate, migrateTimeoutMS } from '@parley/db/migrate'
import { type CallToQueue, findDueQueues, queueCalls, takeQueues } from '@parley/db/push/outgoing-calls'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { createQueueWork, type QueueWorkParts } from './work-queue.ts'

describe('the calls of a queue', () => {
  let db: Db
  beforeAll(async () => {
    const { mongoUrl } = await testServers()
    const database = `queue_${randomUUID().replaceAll('-', '')}`
    db = await connectDb(withDatabase(mongoUrl, database), { timeoutMS: migrateTimeoutMS })
    await migrate(db)
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  const call = (order: number): CallToQueue => ({
    ...{ _id: `hook_${order}`, app: 'shop', kind: 'webhook', queue: 'shop\0room', target: 'http://hook', order },
    ...{ room: 'room', event: 'MESSAGE', client: 'alice', data: '{}' },
  })

  test('stay in order if an earlier one is queued during the check of a later one', async () => {
    await queueCalls(db, [call(2)])
    const [queue] = await takeQueues(db, await findDueQueues(db, 'http://hook', 1), 60_000)
    assert.ok(queue)
    const made: string[] = []
    const parts = {
      ...{ db, retryMS: 60_000, leaseMS: 60_000, log: { warn: vi.fn() }, metrics: { results: { inc: vi.fn() } } },
      onTried: () => undefined,
      deliver: ({ _id }: { _id: string }) =>
        Promise.resolve({ as: 'done', answer: '', isAnswered: made.push(_id) < 0 }),
      // Another process handles the previous event, and acknowledges it.
      isNext: async () => {
        await queueCalls(db, [call(1)])
        return true
      },
    }
    await createQueueWork(parts as unknown as QueueWorkParts, new AbortController().signal)(queue)
    assert.deepEqual(made, ['hook_1', 'hook_2'])
  })
})
