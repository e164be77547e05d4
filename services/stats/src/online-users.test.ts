import assert from 'node:assert/strict'
import { connectDb, type Db } from '@parley/db/connect'
import { migrate } from '@parley/db/migrate'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { createRecordOnline } from './online-users.ts'

describe('connected users', () => {
  let servers: Servers
  let db: Db
  beforeAll(async () => {
    servers = await isolatedServers()
    db = await connectDb(servers.mongoUrl)
    await migrate(db)
  })
  afterAll(async () => {
    await db.client.close()
    await servers.stop()
  })

  test('are written once per bucket, however often they are found', async () => {
    const recordOnline = createRecordOnline(db)
    const users = ['alice', 'bob'].map((user) => ({ app: 'app', user }))
    const buckets = async () => {
      const found = await db.statsUsers.find({}).toArray()
      await db.statsUsers.deleteMany({})
      return found
        .map(({ user, level, at, minutes }) => {
          const bits = BigInt(String(minutes ?? 0))
          const inMinutes = Array.from({ length: 60 }, (_, minute) => minute).filter((i) => (bits >> BigInt(i)) & 1n)
          return [user, level, at.toISOString().slice(11, 16), ...inMinutes].join(' ')
        })
        .toSorted()
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2099-01-01T10:58:00Z') })
    try {
      await recordOnline(users.slice(0, 1))
      assert.deepEqual(await buckets(), ['alice day 00:00', 'alice hour 10:00 58'])
      vi.setSystemTime(Date.parse('2099-01-01T10:58:40Z'))
      await recordOnline(users)
      assert.deepEqual(await buckets(), ['bob day 00:00', 'bob hour 10:00 58'])
      vi.setSystemTime(Date.parse('2099-01-01T10:59:00Z'))
      await recordOnline(users)
      assert.deepEqual(await buckets(), ['alice hour 10:00 59', 'bob hour 10:00 59'])
      vi.setSystemTime(Date.parse('2099-01-01T11:00:00Z'))
      await recordOnline(users)
      assert.deepEqual(await buckets(), ['alice hour 11:00 0', 'bob hour 11:00 0'])
    } finally {
      vi.useRealTimers()
    }
  })
})
