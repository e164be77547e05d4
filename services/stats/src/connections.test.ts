import assert from 'node:assert/strict'
import { createApp } from '@parley/chat/access/apps'
import { markAppDeleting } from '@parley/db/apps/app-deletion'
import { connectDb, type Db } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import { closePresence, connectPresence, type Presence } from '@parley/presence/connect'
import { raisePeaks, readPeaks, reportConnections } from '@parley/presence/connection-counts'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { pollOnce } from './connections.ts'
import { createRecordOnline } from './online-users.ts'

describe('peaks of connections', () => {
  let servers: Servers
  let db: Db
  let presence: Presence
  beforeAll(async () => {
    servers = await isolatedServers()
    db = await connectDb(servers.mongoUrl)
    presence = await connectPresence(servers.redisUrl, () => undefined)
  })
  afterAll(async () => {
    await closePresence(presence)
    await db.client.close()
    await servers.stop()
  })
  const keptOf = (app: string) => db.statsPeaks.countDocuments({ app })

  test('of an app being deleted are not written again', async () => {
    await createApp({ db }, 'going')
    await reportConnections(presence, 'node', 'going', 3)
    await pollOnce(db, presence, createRecordOnline(db))
    assert.ok((await keptOf('going')) > 0)
    await inTransaction(db, (session) => markAppDeleting(db, 'going', session))
    await db.statsPeaks.deleteMany({ app: 'going' })
    await pollOnce(db, presence, createRecordOnline(db))
    assert.equal(await keptOf('going'), 0)
  })

  test('of the last ten minutes stay in Redis; earlier ones are only in the buckets', async () => {
    await createApp({ db }, 'old')
    await db.apps.updateOne({ _id: 'old' }, { $set: { createdAt: new Date(0) } })
    const { minute } = await reportConnections(presence, 'node', 'old', 2)
    const peaks = new Map([5, 30, 100].map((ago) => [minute - ago, ago]))
    await raisePeaks(presence, 'old', peaks)
    await pollOnce(db, presence, createRecordOnline(db))
    const kept = await db.statsPeaks.find({ app: 'old', level: 'minute' }).sort({ at: -1 }).toArray()
    assert.deepEqual(
      kept.map(({ peak }) => peak),
      [2, 5, 30, 100],
    )
    const left = await readPeaks(presence, 'old', new Date(0))
    assert.deepEqual(new Set(left.values()), new Set([2, 5]))
  })

  test('of a deleted app do not appear in a new one with its ID', async () => {
    const anHourAgo = Math.floor(Date.now() / 60_000) - 60
    await presence.redis.hset('{parley}:peaks:again', String(anHourAgo), 90)
    await createApp({ db }, 'again')
    await reportConnections(presence, 'node', 'again', 2)
    await pollOnce(db, presence, createRecordOnline(db))
    assert.equal(Math.max(...(await readPeaks(presence, 'again', new Date(0))).values()), 90)
    const kept = await db.statsPeaks.find({ app: 'again' }).toArray()
    assert.deepEqual([...new Set(kept.map(({ peak }) => peak))], [2])
  })
})
