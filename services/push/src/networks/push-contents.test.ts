import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectDb, type Db } from '@parley/db/connect'
import type { PushDoc } from '@parley/db/push/documents'
import { insertPushContent, replacePushContents } from '@parley/db/push/pushes'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { createPushContents } from './push-contents.ts'

let db: Db
beforeAll(async () => {
  db = await connectDb(withDatabase((await testServers()).mongoUrl, `contents_${randomUUID().replaceAll('-', '')}`))
})
afterAll(async () => {
  await db.mongo.dropDatabase()
  await db.client.close()
})

test('a message forgotten while it is pushed to many is hidden from the rest', async () => {
  const find = createPushContents(db)
  const said = async () => {
    const push: Partial<PushDoc> = { content: 'c', at: new Date() }
    return (await find([push as PushDoc])).get('c')
  }
  await insertPushContent(db, 'c', '{"body":"a mistake"}')
  assert.deepEqual(await said(), { body: 'a mistake' })
  await replacePushContents(db, [{ id: 'c', json: '{"isDeleted":true}' }])
  await vi.waitFor(async () => assert.deepEqual(await said(), { isDeleted: true }), { timeout: 30_000 })
})
