import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { declaredIndexes } from './collections.ts'
import { connectDb, type Db } from './connect.ts'
import { key } from './keys.ts'
import { migrate, migrateTimeoutMS } from './migrate.ts'
import { createSchemaCheck, migratedIndexes, migrations, OldSchemaError, pendingMigrations } from './schema.ts'
import { newTokenDoc } from './users/tokens.ts'

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

  test('is older than a service needs until it is migrated, which the service notices without a restart', async () => {
    const check = createSchemaCheck(db)
    await assert.rejects(check, (error) => error instanceof OldSchemaError && error.message.includes('0001-indexes'))
    const lines: string[] = []
    assert.deepEqual(
      await migrate(db, (line) => lines.push(line)),
      migrations.map(({ name }) => name),
    )
    assert.ok(lines.includes('0001-indexes: running') && lines.includes('0001-indexes: done'))
    await check()
    assert.deepEqual(await pendingMigrations(db), { needed: [], finishing: [] })
    const indexes = await db.messages.indexes()
    assert.ok(indexes.some(({ key, unique }) => unique && 'seq' in key))
  })

  test('lets changes be kept for longer where they were kept for a fixed time', async () => {
    const name = '0010-published-events-as-long-as-set'
    await db.publishedEvents.dropIndexes()
    await db.publishedEvents.createIndex({ at: 1 }, { expireAfterSeconds: 72 * 3_600 })
    const at = new Date()
    await db.publishedEvents.insertOne({ _id: 'note', atMS: at.getTime(), at, events: [] })
    await db.mongo.collection<{ _id: string }>('migrations').deleteOne({ _id: name })
    assert.deepEqual(await migrate(db), [name])
    const kept = await db.publishedEvents.findOne({ _id: 'note' })
    assert.equal(kept?.expiresAt?.getTime(), at.getTime() + 72 * 3_600_000)
    const indexes = (await db.publishedEvents.indexes()).map(({ key, expireAfterSeconds }) => [key, expireAfterSeconds])
    assert.deepEqual(indexes, [
      [{ _id: 1 }, undefined],
      [{ at: 1, _id: 1 }, undefined],
      [{ expiresAt: 1 }, 0],
    ])
    await db.publishedEvents.deleteMany({})
  })

  test('keeps expired tokens for a month where they went at once', async () => {
    const name = '0026-expired-tokens'
    await db.tokens.dropIndexes()
    await db.tokens.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 })
    const { forgetAt, ...earlier } = newTokenDoc({ app: 'app', user: 'user' }, 'digest', new Date())
    await db.tokens.insertOne(earlier)
    await db.mongo.collection<{ _id: string }>('migrations').deleteOne({ _id: name })
    assert.deepEqual(await migrate(db), [name])
    assert.deepEqual((await db.tokens.findOne())?.forgetAt, forgetAt)
    const expiring = (await db.tokens.indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
    assert.deepEqual(
      expiring.map(({ key }) => key),
      [{ forgetAt: 1 }],
    )
    await db.tokens.deleteMany({})
  })

  test('notes in memberships what members had deleted for themselves', async () => {
    const name = '0022-hidden-messages'
    const member = (user: string, hiddenUpToSeq?: number) => ({
      ...{ _id: key('app', 'room', user), app: 'app', room: 'room', roomKey: key('app', 'room'), user },
      ...{ userKey: key('app', user), joinedAtMS: 0, readSeq: 0, uncounted: 0 },
      ...(hiddenUpToSeq !== undefined && { hiddenUpToSeq }),
    })
    const deletion = (user: string, seq: number, roomKey = key('app', 'room')) => ({
      ...{ _id: key(roomKey, user, `${seq}`), roomKey, user, message: `${seq}`, seq, deletedAtMS: 0 },
    })
    await db.memberships.insertMany([member('one'), member('more', 9), member('none')])
    const inThread = deletion('none', 4, key('app', 'room', 'root'))
    const ofOne = [deletion('one', 3), deletion('one', 7), deletion('one', 5)]
    await db.userDeletions.insertMany([...ofOne, deletion('more', 2), deletion('left', 1), inThread])
    await db.mongo.collection<{ _id: string }>('migrations').deleteOne({ _id: name })
    assert.deepEqual(await migrate(db), [name])
    const members = await db.memberships.find().toArray()
    assert.deepEqual(Object.fromEntries(members.map(({ user, hiddenUpToSeq }) => [user, hiddenUpToSeq])), {
      ...{ one: 7, more: 9, none: undefined },
    })
    await Promise.all([db.memberships.deleteMany({}), db.userDeletions.deleteMany({})])
  })

  test('may be migrated again, and by several processes at once', async () => {
    assert.deepEqual(await migrate(db), [])
    await db.mongo.collection('migrations').deleteMany({})
    await Promise.all([migrate(db, undefined, { finish: true }), migrate(db, undefined, { finish: true })])
    assert.equal(await db.mongo.collection('migrations').countDocuments(), migrations.length)
  })

  test('that services of 0.1.0 have made, without a record of migrations, waits for the command to finish', async () => {
    await db.mongo.dropDatabase()
    await db.mongo.createCollection('apps')
    assert.deepEqual(
      await migrate(db),
      migrations.filter(({ finishes }) => !finishes).map(({ name }) => name),
    )
    assert.deepEqual(await pendingMigrations(db), { needed: [], finishing: ['0005-tails', '0024-minutes-of-users'] })
    assert.deepEqual(await migrate(db), [], 'nor is it new when it is migrated again')
    assert.deepEqual(await migrate(db, undefined, { finish: true }), ['0005-tails', '0024-minutes-of-users'])
  })

  test('may be made by several processes at once', async () => {
    await db.mongo.dropDatabase()
    await Promise.all([migrate(db), migrate(db), migrate(db)])
    assert.deepEqual(await pendingMigrations(db), { needed: [], finishing: [] })
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
