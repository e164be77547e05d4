import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runAlone } from '@parley/async/alone'
import { clock } from '@parley/async/clock'
import { findAuditEntries } from '@parley/db/audit/audit-log'
import { readManifest } from '@parley/db/backup/archive'
import { backUp } from '@parley/db/backup/back-up'
import type { PointInTime } from '@parley/db/backup/replay-oplog'
import { restoreBackup } from '@parley/db/backup/restore'
import { restoreLease } from '@parley/db/backup/restore-lease'
import { connectDb, type Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { flushAbandoned } from '@parley/db/room-buffer/flush'
import { createSchemaCheck, OldSchemaError } from '@parley/db/schema'
import { folderArchive } from '@parley/files/archive'
import { eventually } from '@parley/stack/eventually'
import { parleyFile } from '@parley/stack/parley-command'
import { startS3 } from '@parley/stack/test-s3'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

const run = promisify(execFile)

describe('parley backup and parley restore', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let dir: string
  let mongoUrl: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
    room = await gateway.newRoom([alice, bob])
    dir = await mkdtemp(join(tmpdir(), 'parley-backup-'))
    mongoUrl = (await testServers()).mongoUrl
  })
  afterAll(async () => {
    await gateway.stop()
    await rm(dir, { recursive: true, force: true })
  })

  const env = (database: string, more: object = {}) => ({
    ...{ PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    ...{ PARLEY_MONGO_URL: withDatabase(mongoUrl, database), ...more },
  })
  const ours = () => gateway.chat.db.mongo.databaseName

  /** Prints what the command has printed; rejects with it where it fails. */
  async function command(database: string, args: string[], more: object = {}): Promise<string> {
    const options = { env: env(database, more) }
    return run(process.execPath, [parleyFile, ...args], options).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => Promise.reject(new Error(stdout + stderr)),
    )
  }
  async function backUpByCommand(place = dir, more: object = {}): Promise<string> {
    const said = await command(ours(), ['backup', place, '--history-seconds', '60'], more)
    return /^(\S+Z): \d+ documents/m.exec(said)?.[1] ?? assert.fail(said)
  }
  /** As the command does, in this process. */
  async function backUpHere(db = gateway.chat.db): Promise<string> {
    const place = await mkdtemp(join(dir, 'backup-'))
    await backUp(db, folderArchive(place), { version: 'test', historySeconds: 60, onProgress: () => undefined })
    return place
  }
  async function emptyDb(): Promise<Db> {
    const database = `restored_${randomUUID().replaceAll('-', '')}`
    const db = await connectDb(withDatabase(mongoUrl, database), { timeoutMS: 120_000 })
    onTestFinished(async () => {
      await db.mongo.dropDatabase({ writeConcern: { w: 1 } })
      await db.client.close()
    })
    return db
  }
  const restore = (db: Db, backup: string, more: object = {}) =>
    command(db.mongo.databaseName, ['restore', backup], more)
  const restoreHere = (db: Db, backup: string, moment?: PointInTime) =>
    restoreBackup(db, folderArchive(backup), { onProgress: () => undefined, moment })
  async function texts(db: Db, of = room): Promise<unknown[]> {
    const found = await findAllMessages(db, { roomKey: key(gateway.app, of) })
    return found.toSorted((a, b) => a.seq - b.seq).map(({ seq, content }) => [seq, content])
  }

  test('keep every acknowledged message, without gaps, during sends', async () => {
    const dave = await gateway.newUser()
    const own = await gateway.newRoom([alice, dave])
    const send = (message: string) => alice.call('POST', `/rooms/${own}/message`, { message, messageType: 'text' })
    const over = new AbortController()
    let sent = 0
    const sending = (async () => {
      for (; !over.signal.aborted; await pause(10)) assert.equal((await send(`text ${++sent}`)).status, 200)
    })()
    await eventually('some are sent', () => sent > 20)
    const acknowledged = sent - 1
    const backup = await backUpByCommand()
    over.abort()
    await sending

    const db = await emptyDb()
    assert.match(await restore(db, backup), /Restored and verified/)
    const restored = await startTestGateway({ ...gateway, database: db.mongo.databaseName })
    onTestFinished(() => restored.stop())
    const asDave = { 'im-client-key': gateway.clientKey, 'im-authorization': dave.token, 'im-client-id': dave.id }
    const get = async (path: string) => (await (await fetch(restored.url + path, { headers: asDave })).json()) as Answer
    const { badge } = (await get('/me/badge')).result
    assert.ok(badge >= acknowledged && badge <= sent, `${acknowledged} ≤ ${badge} ≤ ${sent}`)
    // As the relay does: the buffer of the room was in the backup.
    await flushAbandoned(db, clock.now() + 60_000, 100)
    await gateway.chat.flusher.drained()
    const [all, kept] = [await texts(gateway.chat.db, own), await texts(db, own)]
    assert.equal(kept.length, badge)
    assert.deepEqual(kept, all.slice(0, badge))
    assert.deepEqual(
      await db.users.find().sort({ _id: 1 }).toArray(),
      await gateway.chat.db.users.find().sort({ _id: 1 }).toArray(),
    )
    const latest = { sinceMS: 0, untilMS: Number.MAX_SAFE_INTEGER, limit: 10 }
    const entries = await findAuditEntries(db, '*', { action: 'restore' }, latest)
    assert.deepEqual(
      entries.map(({ actor }) => actor),
      ['command:restore'],
    )
    assert.deepEqual(await db.messages.indexes(), await gateway.chat.db.messages.indexes())
  })

  test('a killed restore leaves the database not ready, and can be repeated', async () => {
    await gateway.chat.flusher.drained()
    const backup = await backUpHere()
    const db = await emptyDb()
    // The restore waits for this transaction with the users, the last collection but one.
    const user = await gateway.chat.db.users.findOne({})
    await db.mongo.createCollection('users')
    const session = db.client.startSession()
    session.startTransaction()
    await db.mongo.collection('users').insertOne({ _id: user?._id as never }, { session })
    const child = spawn(process.execPath, [parleyFile, 'restore', backup], { env: env(db.mongo.databaseName) })
    await eventually('most is restored', async () => (await db.rooms.estimatedDocumentCount()) > 0)
    await kill(child)
    await session.abortTransaction()
    await session.endSession()
    await assert.rejects(createSchemaCheck(db)(), OldSchemaError)
    for (const args of [['migrate'], ['backup', join(dir, 'part')]])
      await assert.rejects(command(db.mongo.databaseName, args), /a restore of this database has not finished: /)
    await assert.rejects(createSchemaCheck(db)(), OldSchemaError)

    // Waits for the lease of the killed one.
    await restoreHere(db, backup)
    await createSchemaCheck(db)()
    assert.equal(await db.users.countDocuments(), await gateway.chat.db.users.countDocuments())
    await assert.rejects(restoreHere(db, backup), /has documents in \w+: restore into an empty one/)
  })

  test('a second restore of the same backup is refused while the first one runs', async () => {
    const backup = await backUpHere()
    const db = await emptyDb()
    const { clusterTime } = await readManifest(folderArchive(backup))
    await runAlone(restoreLease(db, clusterTime), () =>
      assert.rejects(restoreHere(db, backup), /another process is restoring this backup/),
    )
  })

  /** Starts a backup that takes a while; resolves once it has written a part. */
  async function startLongBackup(place: string): Promise<{ child: ChildProcess; backup: string }> {
    const db = await emptyDb()
    const large = () => ({ bytes: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))) })
    for (let i = 0; i < 10; i++) await db.mongo.collection('aa').insertMany(Array.from({ length: 100 }, large))
    // As long as the server of the tests keeps it anyway: the one that is killed does not put it back.
    const args = [parleyFile, 'backup', place, '--history-seconds', '10']
    const child = spawn(process.execPath, args, { env: env(db.mongo.databaseName) })
    const folder = async () => join(place, (await readdir(place).catch(() => []))[0] ?? '')
    const files = async () => readdir(await folder()).catch(() => [])
    await eventually('a part is there', async () => (await files()).some((name) => name.endsWith('.gz')))
    return { child, backup: await folder() }
  }

  test('a killed backup is not a valid backup', async () => {
    const { child, backup } = await startLongBackup(join(dir, 'killed'))
    await kill(child)
    await assert.rejects(restore(await emptyDb(), backup), /manifest.json is missing: .* interrupted/)
  })

  test('a backup that SIGTERM ends leaves nothing', async () => {
    const place = join(dir, 'ended')
    const { child } = await startLongBackup(place)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [143, null])
    assert.deepEqual(await readdir(place), [])
  })

  test('a backup whose disk is full names the file, and leaves nothing', async () => {
    const place = await mkdtemp(join(dir, 'full-'))
    await symlink('/dev/full', join(place, 'users-00001.bson.gz.part'))
    const options = { version: 'test', historySeconds: 60, onProgress: () => undefined }
    await assert.rejects(backUp(gateway.chat.db, folderArchive(place), options), {
      message: `ENOSPC: no space left on device, write '${place}/users-00001.bson.gz.part'`,
    })
    await assert.rejects(readdir(place), { code: 'ENOENT' })
  })

  test('a backup is readable by its owner only, and needs a place', async () => {
    const backup = await backUpHere()
    for (const file of await readdir(backup)) assert.equal((await stat(join(backup, file))).mode & 0o777, 0o600, file)
    await assert.rejects(command(ours(), ['backup', '']), /argument 'place'\. expected a folder, or s3:/)
  })

  test('a place that is neither a folder nor a bucket with its settings is refused, naming the settings', async () => {
    for (const place of ['s3://', 's3:///x', 's3:/bucket/x', 'S3://bucket/x', 'https://bucket/x']) {
      await assert.rejects(command(ours(), ['backup', place]), /argument 'place'\. expected a folder, or s3:/, place)
      await assert.rejects(command(ours(), ['restore', place]), /argument 'backup'\. expected a folder, or s3:/, place)
    }
    for (const bucket of ['s3://bucket', 's3://bucket/']) {
      await assert.rejects(command(ours(), ['restore', bucket]), /argument 'backup'\. expected s3:\/\/bucket\/prefix/)
    }
    const key = { PARLEY_FILES_S3_ACCESS_KEY_ID: 'id' }
    const keys = { ...key, PARLEY_FILES_S3_SECRET_ACCESS_KEY: 'secret', PARLEY_FILES_S3_ENDPOINT: 'http://127.0.0.1:1' }
    for (const args of [
      ['backup', 's3://bucket'],
      ['restore', '--check', 's3://bucket/x'],
    ]) {
      const withoutKeys = command(ours(), args, { AWS_EC2_METADATA_DISABLED: 'true' })
      await assert.rejects(withoutKeys, /parley: S3: .*credentials.* \(PARLEY_FILES_S3_REGION, .*_ACCESS_KEY\)/)
      await assert.rejects(command(ours(), args, keys), /parley: S3: .*ECONNREFUSED.* \(PARLEY_FILES_S3_REGION, /)
      await assert.rejects(command(ours(), args, key), /parley: .*_ACCESS_KEY_ID and .* belong together/)
    }
  })

  test('restore names a damaged file, and writes nothing', async () => {
    const backup = await backUpHere()
    const file = join(backup, 'users-00001.bson.gz')
    const whole = await readFile(file)
    const manifest = join(backup, 'manifest.json')
    const kept = await readFile(manifest, 'utf8')
    const db = await emptyDb()
    const isEmpty = async () => assert.deepEqual(await db.mongo.listCollections().toArray(), [])
    const refused = async (reason: RegExp) => {
      await assert.rejects(restoreHere(db, backup), reason)
      await isEmpty()
    }
    const flipped = Buffer.from(whole)
    flipped[whole.length >> 1] = (flipped[whole.length >> 1] ?? 0) ^ 1
    await writeFile(file, flipped)
    const changed = /users-00001\.bson\.gz was changed/
    await assert.rejects(command(ours(), ['restore', backup, '--check']), changed)
    await refused(changed)
    await truncate(file, whole.length - 1)
    await refused(changed)
    await unlink(file)
    await refused(/users-00001\.bson\.gz is missing/)
    await writeFile(file, whole)
    await writeFile(manifest, kept.replace(/"documents": \d/, '"documents": 9'))
    await refused(/manifest\.json was changed/)
    await writeFile(manifest, kept.slice(0, 100))
    await refused(/manifest\.json is not JSON/)
    for (const other of ['{"name":"a web app"}', 'null']) {
      await writeFile(manifest, other)
      await refused(/manifest\.json is not that of a backup/)
    }
    await writeFile(manifest, kept)
    assert.match(await command(ours(), ['restore', backup, '--check']), /The backup is whole/)
  })

  test('restore replays the oplog up to a given time, with transactions of any size', async () => {
    const erin = await gateway.newUser()
    const own = await gateway.newRoom([alice, erin])
    const send = (message: string) => alice.call('POST', `/rooms/${own}/message`, { message, messageType: 'text' })
    const drained = () => gateway.chat.flusher.drained()
    await send('before the backup')
    const backup = await backUpHere()
    for (let i = 0; i < 40; i++) assert.equal((await send(`after ${i}`)).status, 200)
    await drained()
    // Over 16 MiB, so in several entries of the oplog.
    const { client, mongo } = gateway.chat.db
    const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
    const large = Array.from({ length: 300 }, () => ({ bytes, list: [1, 2] }))
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await mongo.collection('large').insertMany(large, { session })
        await mongo.collection('large').updateMany({}, { $push: { list: 3 as never } }, { session })
      }),
    )
    await erin.call('PUT', '/me', { nickname: 'Erin' })
    const changedMS = Date.now()
    await eventually('it is later', () => Date.now() > changedMS)
    const [kept, users] = [
      await texts(gateway.chat.db, own),
      await gateway.chat.db.users.find().sort({ _id: 1 }).toArray(),
    ]
    const moment = new Date().toISOString()
    await send('after the moment')
    await mongo.collection('large').deleteMany({})
    await drained()

    const db = await emptyDb()
    const source = { PARLEY_RESTORE_OPLOG_URL: env(ours()).PARLEY_MONGO_URL }
    const said = await command(db.mongo.databaseName, ['restore', backup, '--until', moment], source)
    assert.match(said, /Restored and verified[^]*Replayed \d+ changes, the last of 2/)
    await createSchemaCheck(db)()
    assert.deepEqual(await texts(db, own), kept)
    assert.equal(kept.length, 41)
    assert.deepEqual(await db.users.find().sort({ _id: 1 }).toArray(), users)
    assert.equal(await db.mongo.collection('large').countDocuments({ bytes, list: [1, 2, 3] }), 300)
    assert.deepEqual(await db.messages.indexes(), await gateway.chat.db.messages.indexes())
  })

  test('restore refuses a time before the backup or after the end of the oplog', async () => {
    const old = await emptyDb()
    await old.mongo.collection('users').insertOne({ name: 'alice' })
    const backup = await backUpHere(old)
    await old.mongo.dropDatabase()
    const db = await emptyDb()
    const until = (moment: string) => restoreHere(db, backup, { source: old, untilMS: Date.parse(moment) })
    await assert.rejects(until('2026-01-01T00:00:00Z'), /not before the time that you gave/)
    assert.deepEqual(await db.mongo.listCollections().toArray(), [])
    await assert.rejects(until('2099-01-01T00:00:00Z'), /drop\w* at 2.* cannot be replayed: give an earlier time/)
    const args = ['restore', backup, '--until', 'yesterday']
    await assert.rejects(command(db.mongo.databaseName, args), /expected a time with its zone/)
  })

  test('--keep removes what is older than the latest whole backups, and nothing else', async () => {
    const place = await mkdtemp(join(dir, 'kept-'))
    const others = ['2001-01-01', 'notes']
    for (const name of others) await mkdir(join(place, name))
    const whole: string[] = []
    for (let i = 0; i < 3; i++) whole.push(basename(await backUpByCommand(place)))
    const interrupted = ['2000-01-01T00-00-00.000Z', '2999-01-01T00-00-00.000Z']
    for (const name of interrupted) await mkdir(join(place, name))
    await unlink(join(place, whole[2] ?? '', 'manifest.json'))

    const args = ['backup', place, '--history-seconds', '60', '--keep']
    for (const wrong of ['0', '-1', 'all', '']) {
      await assert.rejects(command(ours(), [...args, wrong]), /'--keep <backups>' .*expected a number of backups/)
    }
    const said = await command(ours(), [...args, '2'])
    const last = /^(\S+Z): \d+ documents/m.exec(said)?.[1] ?? assert.fail(said)
    assert.match(said, new RegExp(`^${place}/2000-01-01T00-00-00.000Z: removed$`, 'm'))
    const left = [...others, whole[1], whole[2], basename(last), interrupted[1]]
    assert.deepEqual(new Set(await readdir(place)), new Set(left))
    assert.match(await command(ours(), ['restore', last, '--check']), /The backup is whole/)
  })

  test('store the backup in a bucket', async () => {
    const s3 = await startS3(await mkdtemp(join(dir, 's3-')))
    onTestFinished(() => s3.stop())
    const access = {
      PARLEY_FILES_S3_ENDPOINT: s3.endpoint,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: s3.accessKeyId,
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }
    await alice.call('POST', `/rooms/${room}/message`, { message: 'kept in a bucket', messageType: 'text' })
    await gateway.chat.flusher.drained()
    const backup = await backUpByCommand(`s3://${s3.bucket}/nightly`, access)
    const db = await emptyDb()
    assert.match(await restore(db, backup, access), /Restored and verified/)
    assert.deepEqual(await texts(db), await texts(gateway.chat.db))
    await assert.rejects(restore(await emptyDb(), `${backup}x`, access), /manifest\.json is missing/)

    const said = await command(ours(), ['backup', `s3://${s3.bucket}/nightly`, '--keep', '1'], access)
    const last = /^(\S+Z): \d+ documents/m.exec(said)?.[1] ?? assert.fail(said)
    const check = (place: string) => command(ours(), ['restore', place, '--check'], access)
    assert.match(await check(last), /The backup is whole/)
    await assert.rejects(check(backup), /manifest\.json is missing/)
  })
})

interface Answer {
  result: { badge: number }
}

async function kill(child: ChildProcess): Promise<void> {
  assert.equal(child.exitCode, null)
  child.kill('SIGKILL')
  await once(child, 'exit')
}
