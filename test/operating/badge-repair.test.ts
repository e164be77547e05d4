import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { connectDb, type Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

const run = promisify(execFile)

describe('a wrong unread count', () => {
  let platform: Platform
  let db: Db
  let bob: PlatformUser

  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    db = await connectDb(platform.servers.mongoUrl)
    await platform.newUser('alice')
    bob = await platform.newUser('bob')
  })
  afterAll(async () => {
    await db.client.close()
    await platform.stop()
  })

  const send = (room: string, sender = 'alice') =>
    platform.admin('POST', '/messages', { room, sender, message: 'x', messageType: 'text' })
  const spoil = async (room: string, by: number) => {
    const { modifiedCount } = await db.memberships.updateOne(
      { _id: key(platform.app, room, 'bob') },
      { $inc: { uncounted: by } },
    )
    assert.equal(modifiedCount, 1)
  }
  const badge = async () => (await bob.call('GET', '/me/badge'))['badge']
  const sum = () => platform.admin('GET', '/admin/clients/bob/badge?verify=true')
  async function parley(...args: string[]): Promise<string> {
    const env = { ...commandEnv, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    const { stdout } = await run(process.execPath, [parleyFile, ...args], { env })
    return stdout
  }

  test('is detected by the stats service and repaired by parley badge repair', async () => {
    const room = await platform.newRoom(['alice', 'bob'])
    for (let i = 0; i < 3; i++) await send(room)
    await send(room, 'bob')
    const stats = await platform.start('stats', {
      PARLEY_STATS_BADGE_CHECK_EVERY_MS: '200',
      PARLEY_STATS_BADGE_CHECK_ROOMS: '100',
    })
    const metric = async (name: string) => {
      const text = await metricsOf(stats)
      return Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)`, 'm').exec(text)?.[1])
    }
    await eventually('badges are verified', async () => (await metric('parley_badges_verified_total')) >= 4)
    assert.equal(await metric('parley_badge_mismatches_total'), 0)

    await spoil(room, -2)
    assert.equal(await badge(), 5)
    await eventually('it is found', async () => (await metric('parley_badge_mismatches_total')) >= 1)
    assert.match(
      await parley('badge', 'repair', platform.app, '--dry-run'),
      /"bob" in .*: stored 5, counted 3\n.*1 wrong/,
    )
    assert.equal(await badge(), 5)
    assert.match(
      await parley('badge', 'repair', platform.app, '--client', 'bob'),
      /1 unread counts verified, 1 repaired/,
    )
    assert.equal(await badge(), 3)
    assert.match(await parley('badge', 'repair'), / 0 repaired/)
  })

  test('is repaired correctly during sends, reads and deletions', async () => {
    const rooms = await Promise.all(Array.from({ length: 5 }, () => platform.newRoom(['alice', 'bob'])))
    const traffic = { isOn: true, rounds: 0 }
    const busy = rooms.map(async (room) => {
      while (traffic.isOn) {
        const { _id } = await send(room)
        await send(room, 'bob')
        const last = await send(room)
        await bob.call('POST', '/messages/user-delete', { room, messages: [_id] })
        if (traffic.rounds++ % 3 === 0) await bob.call('PUT', `/rooms/${room}/lastRead`, { message: _id })
        await platform.admin('DELETE', `/rooms/${room}/messages/${String(last['_id'])}`)
      }
    })
    try {
      for (let i = 0; i < 3; i++) {
        const before = traffic.rounds
        await eventually('there is traffic', () => traffic.rounds > before + 5)
        for (const room of rooms) await spoil(room, 1_000)
        await parley('badge', 'repair', platform.app)
      }
    } finally {
      traffic.isOn = false
    }
    await Promise.all(busy)
    const { agrees, notVerified, data } = await sum()
    assert.deepEqual([agrees, notVerified], [true, 0], JSON.stringify(data))
  })
})
