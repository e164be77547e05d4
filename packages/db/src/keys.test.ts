import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, test } from 'vitest'
import { connectDb } from './connect.ts'
import type { Db } from './db.ts'
import { key, keyParts } from './keys.ts'
import type { PushDoc } from './push/documents.ts'

let db: Db
beforeAll(async () => {
  db = await connectDb(withDatabase((await testServers()).mongoUrl, `parts_${randomUUID().replaceAll('-', '')}`))
})
afterAll(async () => {
  await db.mongo.dropDatabase()
  await db.client.close()
})

test('the parts cover each document of the app once and no other app, even during deletions', async () => {
  const ids = (app: string, count: number) => Array.from({ length: count }, (_, n) => key(app, String(n)))
  for (const count of [0, 1, 3, 6, 7]) {
    await db.pushes.deleteMany({})
    const all = [...ids('app', count), ...ids('app2', 4), ...ids('ap', 4)]
    await db.pushes.insertMany(all.map((_id) => ({ _id }) as PushDoc))
    const parts: number[] = []
    for await (const _id of keyParts(db.pushes, 'app', 3)) {
      parts.push((await db.pushes.deleteMany({ _id })).deletedCount)
    }
    assert.deepEqual(parts, [...Array.from({ length: Math.floor(count / 3) }, () => 3), count % 3])
    assert.equal(await db.pushes.countDocuments(), 8)
  }
})
