import { randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { migrate } from '../migrate.ts'
import { HistoryModel, steps } from './test-history.ts'

describe('a page of a history', () => {
  let db: Db
  beforeAll(async () => {
    db = await connectDb(withDatabase((await testServers()).mongoUrl, `pages_${randomUUID().replaceAll('-', '')}`))
    await migrate(db)
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  test('has the next messages without gaps, by either time field, in both directions, with any part of the buffer flushed', async () => {
    const reads = async (some: Parameters<HistoryModel['play']>[0][]) => {
      const model = new HistoryModel(db)
      await model.open()
      for (const step of some) await model.play(step)
    }
    await fc.assert(fc.asyncProperty(steps, reads), { numRuns: 10 })
  })
})
