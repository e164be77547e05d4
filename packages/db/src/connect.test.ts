import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { MongoServerError } from 'mongodb'
import { describe, onTestFinished, test } from 'vitest'
import { connectDb, isDatabaseAway } from './connect.ts'
import { runWrites } from './transactions/run-writes.ts'

describe('a MongoDB connection that closes', () => {
  test('during the write of a command fails the command, which then uses another connection', async () => {
    // nodejs.org/api/diagnostics_channel.html, "Built-in Channels": every socket of net.connect.
    const sockets: Socket[] = []
    const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
    subscribe('net.client.socket', note)
    onTestFinished(() => void unsubscribe('net.client.socket', note))
    const url = new URL(withDatabase((await testServers()).mongoUrl, 'connect'))
    url.searchParams.set('monitorCommands', 'true')
    const db = await connectDb(url.href)
    onTestFinished(() => db.client.close())
    await db.apps.findOne({})

    let closings = 0
    db.client.on('commandStarted', ({ commandName }) => {
      if (commandName !== 'find' || closings++ > 0) return
      for (const socket of sockets) socket.destroy()
    })
    assert.equal(await db.apps.findOne({ _id: 'none' }), null)
    assert.equal(closings, 2, 'it was tried again')
  })
})

describe('the database counts as away', () => {
  const failureOf = async (work: Promise<unknown>) => {
    const [{ reason }] = (await Promise.allSettled([work])) as [PromiseRejectedResult]
    assert.ok(reason instanceof MongoServerError)
    return reason
  }

  test('if it did not confirm a write or has no primary for it, but not if it refuses one', async () => {
    const db = await connectDb(withDatabase((await testServers()).mongoUrl, 'away'))
    onTestFinished(() => db.client.close())
    const { collectionName } = db.rooms
    const update = { update: collectionName, updates: [{ q: { _id: '' }, u: { $inc: { seq: 1 } } }] }
    // A set of one: the write is applied but never confirmed.
    const unconfirmed = await failureOf(db.mongo.command({ ...update, writeConcern: { w: 2 } }))
    assert.deepEqual([unconfirmed.hasErrorLabel('RetryableWriteError'), isDatabaseAway(unconfirmed)], [false, true])
    const statement = { q: { _id: '' }, u: { $noSuchOperator: {} } }
    assert.equal(isDatabaseAway(await failureOf(runWrites(db, 'update', collectionName, [statement], 'soon'))), false)
    // Errors of commands that the driver does not repeat (test/failover has a primary step down).
    for (const code of [91, 189, 10_107, 11_602]) {
      assert.ok(isDatabaseAway(new MongoServerError({ code, message: 'the primary steps down' })))
    }
  })
})

describe('a MongoDB URL', () => {
  test('can name several replica set members; its path names the database, by default parley', async () => {
    const { host, search } = new URL((await testServers()).mongoUrl)
    const names = [
      [`mongodb://${host},${host}/orders${search}`, 'orders'],
      [`mongodb://${host},127.0.0.1:1/${search}`, 'parley'],
    ] as const
    for (const [url, name] of names) {
      const db = await connectDb(url)
      onTestFinished(() => db.client.close())
      assert.equal(db.mongo.databaseName, name)
    }
  })
})
