import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { inTransaction, KeyTaken, StaleReadError } from './transaction.ts'

/** Writes a document in a transaction, reports it, and hangs. */
const halfWay = `
  import { MongoClient } from 'mongodb'
  const client = new MongoClient(process.argv[1])
  const session = client.startSession()
  session.startTransaction({ writeConcern: { w: 'majority' } })
  await client.db().collection('outbox').updateOne({ _id: 'x' }, { $set: { atMS: 1 } }, { session })
  console.log('written')
  setInterval(() => undefined, 1000)`

describe('a transaction', () => {
  let db: Db
  let url: string
  beforeAll(async () => {
    url = withDatabase((await testServers()).mongoUrl, `transaction_${randomUUID().replaceAll('-', '')}`)
    db = await connectDb(url)
    await db.outbox.insertOne({ _id: 'x', atMS: 0, events: [] })
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  test('does not wait for a transaction whose process was killed (-9)', async () => {
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
    assert.ok(runs > 1, 'the transactions conflicted')
    assert.equal((await db.outbox.findOne({ _id: 'x' }))?.atMS, 2)
  })

  test('that another process aborted as abandoned runs again', async () => {
    const admin = db.client.db('admin')
    let runs = 0
    const codes: unknown[] = []
    await inTransaction(db, async (session) => {
      await db.outbox.updateOne({ _id: 'x' }, { $set: { atMS: 3 } }, { session })
      if (++runs > 1) return
      const slow = db.outbox.find({ $where: 'sleep(60000) || true' }, { session }).toArray()
      const ended = slow.catch((error: { code?: unknown }) => codes.push(error.code))
      // Killed before the server runs the query, the transaction is gone (251) instead of interrupted.
      const running = [{ $currentOp: {} }, { $match: { 'lsid.id': session.id?.id, 'command.find': 'outbox' } }]
      while ((await admin.aggregate(running).toArray()).length === 0) await new Promise(setImmediate)
      await admin.command({ killSessions: [{ id: session.id?.id }] })
      await ended
      await slow
    })
    assert.deepEqual([runs, codes], [2, [11_601]])
    assert.equal((await db.outbox.findOne({ _id: 'x' }))?.atMS, 3)
  })

  test('that another process aborted before and during its commit runs again', async () => {
    const admin = db.client.db('admin')
    for (let attempt = 1; attempt <= 20; attempt++) {
      let runs = 0
      let killing: Promise<void> | undefined
      await inTransaction(db, async (session) => {
        await db.outbox.updateOne({ _id: 'x' }, { $set: { atMS: 100 + attempt } }, { session })
        if (++runs > 1) return
        const kill = () => admin.command({ killSessions: [{ id: session.id?.id }] })
        await kill()
        killing = (async () => {
          for (let kills = 0; kills < 10; kills++) await kill()
        })()
      })
      await killing
      assert.equal((await db.outbox.findOne({ _id: 'x' }))?.atMS, 100 + attempt)
    }
  })

  test('that another process aborts before, between or during its statements runs again', async () => {
    const admin = db.client.db('admin')
    const { outbox: notes } = db
    for (let attempt = 1; attempt <= 30; attempt++) {
      let runs = 0
      let killing: Promise<void> | undefined
      await inTransaction(db, async (session) => {
        if (++runs === 1) {
          killing = (async () => {
            for (let kills = 0; kills < attempt; kills++)
              await admin.command({ killSessions: [{ id: session.id?.id }] })
          })()
        }
        for (let n = 0; n < 3; n++) {
          const document = { _id: `${attempt} ${n}`, atMS: 0, events: [] }
          await notes.bulkWrite([{ replaceOne: { filter: { _id: 'x' }, replacement: { atMS: n, events: [] } } }], {
            session,
          })
          await notes.insertMany([document], { session })
          await notes.findOneAndUpdate({ _id: document._id }, { $set: { atMS: runs } }, { session })
          await notes.aggregate([{ $match: { _id: document._id } }], { session }).toArray()
        }
      })
      await killing
      assert.equal(await notes.countDocuments({ _id: { $in: [0, 1, 2].map((n) => `${attempt} ${n}`) } }), 3)
    }
  })

  test('runs again after a StaleReadError', async () => {
    let runs = 0
    const answer = await inTransaction(db, async () => {
      if (++runs < 3) throw new StaleReadError('not yet')
      return 'done'
    })
    assert.deepEqual([answer, runs], ['done', 3])
  })

  describe('with a unique key', () => {
    const note = (_id: string) => ({ _id, atMS: 0, events: [] })

    test('taken before it started fails with KeyTaken in the second run, and leaves nothing behind', async () => {
      await db.outbox.insertOne(note('taken'))
      for (const insert of ['one', 'many', 'bulk'] as const) {
        let runs = 0
        const failed = inTransaction(db, async (session) => {
          runs++
          await db.outbox.insertOne(note('beside it'), { session })
          if (insert === 'one') await db.outbox.insertOne(note('taken'), { session })
          else if (insert === 'many') await db.outbox.insertMany([note('taken')], { session })
          else await db.outbox.bulkWrite([{ insertOne: { document: note('taken') } }], { session })
        })
        await assert.rejects(failed, KeyTaken)
        assert.equal(runs, 2)
        assert.equal(await db.outbox.countDocuments({ _id: 'beside it' }), 0)
      }
    })

    test('taken after its snapshot runs again and sees the holder', async () => {
      let runs = 0
      const seen = await inTransaction(db, async (session) => {
        runs++
        const there = await db.outbox.findOne({ _id: 'in between' }, { session })
        if (there) return there.atMS
        if (runs === 1) await db.outbox.insertOne({ ...note('in between'), atMS: 7 })
        await db.outbox.insertOne(note('in between'), { session })
        return 'inserted'
      })
      assert.deepEqual([seen, runs], [7, 2])
    })

    test('taken each time runs again until it finds a free key', async () => {
      const names = ['first', 'second', 'third']
      await db.outbox.insertMany(names.map(note))
      const known = new Set<string>()
      await inTransaction(db, async (session) => {
        const next = [...names, 'free'].find((name) => !known.has(name)) ?? ''
        known.add(next)
        await db.outbox.insertOne(note(next), { session })
      })
      assert.equal(await db.outbox.countDocuments({ _id: 'free' }), 1)
    })
  })
})
