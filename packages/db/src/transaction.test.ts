import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { connectDb, type Db } from './connect.ts'
import { ChangedMeanwhile, inTransaction } from './transaction.ts'

/** Writes a document in a transaction, says so, and goes no further. */
const halfWay = `
  import { MongoClient } from 'mongodb'
  const client = new MongoClient(process.argv[1])
  const session = client.startSession()
  session.startTransaction({ writeConcern: { w: 'majority' } })
  await client.db().collection('outbox').updateOne({ _id: 'x' }, { $set: { atMS: 1 } }, { session })
  console.log('written')
  setInterval(() => undefined, 1000)`

suite('a transaction', { timeout: 60_000 }, () => {
  let db: Db
  let url: string
  before(async () => {
    url = withDatabase((await testServers()).mongoUrl, `transaction_${randomUUID().replaceAll('-', '')}`)
    db = await connectDb(url)
    await db.outbox.insertOne({ _id: 'x', atMS: 0, events: [] })
  })
  after(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  test('does not wait for one whose process was killed (-9) in the middle', async () => {
    const args = ['--input-type=module', '--eval', halfWay, url]
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    let runs = 0
    await inTransaction(db, async (session) => {
      runs++
      await db.outbox.updateOne({ _id: 'x' }, { $set: { atMS: 2 } }, { session })
    })
    assert.ok(runs > 1, 'it did conflict')
    assert.equal((await db.outbox.findOne({ _id: 'x' }))?.atMS, 2)
  })

  test('is run again from the start when what was read before it has changed', async () => {
    let runs = 0
    const answer = await inTransaction(db, async () => {
      if (++runs < 3) throw new ChangedMeanwhile('not yet')
      return 'done'
    })
    assert.deepEqual([answer, runs], ['done', 3])
  })
})
