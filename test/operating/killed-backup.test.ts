import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { lowerHistory, raiseHistory } from '@parley/db/backup/history-window'
import { connectDb, type Db } from '@parley/db/connect'
import { listenOnLoopback } from '@parley/stack/loopback'
import { parleyFile } from '@parley/stack/parley-command'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, startPlatform } from '../platform.ts'

const parameter = 'minSnapshotHistoryWindowInSeconds'

describe('a backup raises the history window of MongoDB', () => {
  let platform: Platform
  let db: Db
  beforeAll(async () => {
    // The window applies to the whole server, so this test needs its own.
    platform = await startPlatform({ toKill: ['mongo'] })
    db = await connectDb(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    await db.client.close()
    await platform.stop()
  })

  const admin = () => db.client.db('admin')
  const window = async () => Number((await admin().command({ getParameter: 1, [parameter]: 1 }))[parameter])
  const records = () => db.mongo.collection('raisedHistory')
  const expire = () => records().updateMany({}, { $set: { leaseUntilMS: 1 } })

  test('which the stats service restores after the backup was killed', async () => {
    const before = await window()
    // A bucket that never responds, so the backup blocks at its first file.
    const bucket = createServer()
    const port = await listenOnLoopback(bucket)
    const env = {
      PATH: process.env['PATH'],
      PARLEY_MONGO_URL: platform.servers.mongoUrl,
      PARLEY_FILES_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: 'key',
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: 'secret',
    }
    const child = spawn(process.execPath, [parleyFile, 'backup', 's3://bucket/nightly'], { env, stdio: 'inherit' })
    await once(bucket, 'connection')
    assert.equal(await window(), 3_600)
    child.kill('SIGKILL')
    await once(child, 'exit')
    bucket.close()
    assert.equal(await lowerHistory(db), 'not due', 'a running backup keeps the window')
    await expire()
    await platform.start('stats')
    await eventually('the window is restored', async () => (await window()) === before)
    await eventually('its record is gone', async () => (await records().countDocuments()) === 0)
  })

  test('which the last of several backups restores to its value before the first', async () => {
    const before = await window()
    const killed = await raiseHistory(db, 100)
    const first = await raiseHistory(db, 200)
    await records().updateOne({}, { $set: { leaseUntilMS: 1 } })
    const second = await raiseHistory(db, 300)
    await first?.end()
    assert.equal(await window(), 300)
    await second?.end()
    assert.equal(await window(), before)
    assert.equal(await records().countDocuments(), 0)
    await killed?.end()
    assert.equal(await window(), before)
  })
})
