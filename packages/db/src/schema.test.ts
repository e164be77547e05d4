import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { declaredIndexes } from './collections.ts'
import { connectDb } from './connect.ts'
import type { Db } from './db.ts'
import { migrate, migrateTimeoutMS } from './migrate.ts'
import { createSchemaCheck, migratedIndexes, migrations, OldSchemaError, pendingMigrations } from './schema.ts'

describe('the schema of a database', () => {
  let db: Db
  beforeAll(async () => {
    const { mongoUrl } = await testServers()
    const url = withDatabase(mongoUrl, `schema_${randomUUID().replaceAll('-', '')}`)
    db = await connectDb(url, { timeoutMS: migrateTimeoutMS })
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  test('is too old for a service until it is migrated, which the service detects without a restart', async () => {
    const check = createSchemaCheck(db)
    await assert.rejects(check, (error) => error instanceof OldSchemaError && error.message.includes('0001-baseline'))
    const lines: string[] = []
    assert.deepEqual(
      await migrate(db, { onProgress: (line) => lines.push(line) }),
      migrations.map(({ name }) => name),
    )
    assert.ok(lines.includes('0001-baseline: running') && lines.includes('0001-baseline: done'))
    await check()
    assert.deepEqual(await pendingMigrations(db), [])
    const indexes = await db.messages.indexes()
    assert.ok(indexes.some(({ key, unique }) => unique && 'seq' in key))
  })

  test('can be migrated again, and by several processes at once', async () => {
    assert.deepEqual(await migrate(db), [])
    await db.mongo.collection('migrations').deleteMany({})
    await Promise.all([migrate(db), migrate(db)])
    assert.equal(await db.mongo.collection('migrations').countDocuments(), migrations.length)
  })

  test('can be created by several processes at once', async () => {
    await db.mongo.dropDatabase()
    await Promise.all([migrate(db), migrate(db), migrate(db)])
    assert.deepEqual(await pendingMigrations(db), [])
    const declared = JSON.parse(declaredIndexes()) as [string, { key: object }[]][]
    for (const [name, indexes] of declared) {
      const keys = (await db.mongo.collection(name).indexes()).map(({ key }) => key)
      assert.deepEqual(keys, [{ _id: 1 }, ...indexes.map(({ key }) => key)], name)
    }
  })

  test('of a newer release is accepted by this one', async () => {
    await db.mongo.collection<{ _id: string }>('migrations').insertOne({ _id: '9999-of-a-newer-release' })
    await createSchemaCheck(db)()
    assert.deepEqual(await migrate(db), [])
  })

  test('has a migration for every change of the declared indexes: add one, and put the digest into schema.ts', () => {
    assert.equal(createHash('sha256').update(declaredIndexes()).digest('hex'), migratedIndexes)
  })
})
