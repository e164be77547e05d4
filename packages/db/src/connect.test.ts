import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Socket } from 'node:net'
import { listenOnLoopback } from '@parley/stack/loopback'
import { openTcpProxy } from '@parley/stack/tcp-proxy'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { MongoError, MongoServerError } from 'mongodb'
import { describe, onTestFinished, test, vi } from 'vitest'
import { connectDb, isDatabaseAway, pingDb } from './connect.ts'
import { runWrites } from './transactions/run-writes.ts'
import { inTransaction, StaleReadError } from './transactions/transaction.ts'

describe('a MongoDB connection that closes', () => {
  test('while a command is sent: the command is retried on another connection', async () => {
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
    assert.equal(closings, 2, 'the command was retried')
  })
})

test('a ping names the server that is not reached, and why, before the driver gives up', async () => {
  const { host, pathname } = new URL(withDatabase((await testServers()).mongoUrl, 'away'))
  const to = new URL(`http://${host}`)
  const proxy = await openTcpProxy({ host: to.hostname, port: Number(to.port) }, (client, upstream) => {
    client.pipe(upstream).pipe(client)
  })
  const db = await connectDb(`mongodb://127.0.0.1:${proxy.port}${pathname}?directConnection=true`)
  onTestFinished(() => db.client.close())
  await pingDb(db)
  await proxy.close()
  const said = { name: 'Error', message: `127.0.0.1:${proxy.port}: connect ECONNREFUSED 127.0.0.1:${proxy.port}` }
  await vi.waitFor(() => assert.rejects(pingDb(db), said), { timeout: 60_000 })
})

describe('isDatabaseAway', () => {
  const failureOf = async (work: Promise<unknown>) => {
    const [{ reason }] = (await Promise.allSettled([work])) as [PromiseRejectedResult]
    assert.ok(reason instanceof MongoError)
    return reason
  }

  test('is true for an unconfirmed write and for a missing primary, false for a refused write', async () => {
    const db = await connectDb(withDatabase((await testServers()).mongoUrl, 'away'))
    onTestFinished(() => db.client.close())
    const { collectionName } = db.rooms
    const update = { update: collectionName, updates: [{ q: { _id: '' }, u: { $inc: { seq: 1 } } }] }
    // The replica set has one member: the write is applied, but w: 2 is never reached.
    const unconfirmed = await failureOf(db.mongo.command({ ...update, writeConcern: { w: 2 } }))
    assert.deepEqual([unconfirmed.hasErrorLabel('RetryableWriteError'), isDatabaseAway(unconfirmed)], [false, true])
    const statement = { q: { _id: '' }, u: { $noSuchOperator: {} } }
    assert.equal(isDatabaseAway(await failureOf(runWrites(db, 'update', collectionName, [statement], 'soon'))), false)
    assert.ok(isDatabaseAway(new StaleReadError('documents kept changing')))
    // Error codes of a primary that steps down; test/failover covers a real one.
    for (const code of [91, 189, 10_107, 11_602]) {
      assert.ok(isDatabaseAway(new MongoServerError({ code, message: 'the primary steps down' })))
    }
  })

  test('is true for work that the end of the client cuts off, and for work that begins later', async () => {
    const db = await connectDb(withDatabase((await testServers()).mongoUrl, 'closed'))
    const none = { _id: 'none' }
    async function keepReading(): Promise<void> {
      for (;;) await inTransaction(db, (session) => db.rooms.findOne(none, { session }))
    }
    const cutOff = Promise.all(Array.from({ length: 10 }, keepReading).map(failureOf))
    await db.rooms.findOne(none)
    await db.client.close()
    for (const failure of [...(await cutOff), await failureOf(db.rooms.findOne(none))]) {
      assert.ok(isDatabaseAway(failure), String(failure))
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

  test('with the name of another replica set is refused, naming both', async () => {
    const url = new URL((await testServers()).mongoUrl)
    url.searchParams.set('replicaSet', 'other')
    await assert.rejects(connectDb(url.href, { timeoutMS: 500 }), {
      name: 'UnfitMongo',
      message: 'the URL has replicaSet=other, but the replica set is named parley',
    })
  })

  test('of servers that accept connections but never answer is refused, naming them', async () => {
    const silent = createServer()
    const port = await listenOnLoopback(silent)
    onTestFinished(() => void silent.close())
    const unanswered = (path: string) => connectDb(`mongodb://127.0.0.1:${port}${path}`, { timeoutMS: 300 })
    for (const path of ['/', '/?replicaSet=parley', '/?directConnection=true']) {
      await assert.rejects(unanswered(path), { message: `127.0.0.1:${port} does not answer` }, path)
    }
  })

  test('is refused if its options weaken acknowledged writes, or its path names no database', async () => {
    const { mongoUrl } = await testServers()
    for (const option of ['journal=false', 'wtimeoutMS=5', 'readConcernLevel=local']) {
      const weak = connectDb(`${withDatabase(mongoUrl, 'weak')}&${option}`)
      await assert.rejects(weak, /^UnfitMongo: remove journal, wtimeoutMS and readConcernLevel from the URL/, option)
    }
    for (const name of ['a.b', 'a/', 'a%20b', '%22', '$a']) {
      const path = new URL(mongoUrl)
      path.pathname = `/${name}`
      await assert.rejects(connectDb(path.href), /^UnfitMongo: the URL's path names no database: "/, name)
    }
    const safe = await connectDb(`${withDatabase(mongoUrl, 'safe')}&w=1&journal=true`)
    onTestFinished(() => safe.client.close())
    assert.deepEqual(safe.client.options.writeConcern.w, 'majority')
  })
})
