import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectDb, type Db } from '@parley/db/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { logged } from '../log-line.ts'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'
import { metricsOf } from '../service-metrics.ts'

const preload = pathToFileURL(join(import.meta.dirname, '../doubles/shifted-clock.ts')).href
const minute = 60_000

function shifted(ms: number): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `--import ${preload}`, TEST_CLOCK_SHIFT_MS: String(ms) }
}

describe('a gateway whose clock is 10 minutes ahead', () => {
  let platform: Platform
  let db: Db
  let right: RunningService
  let ahead: RunningService
  let ann: PlatformUser
  let ben: PlatformUser
  beforeAll(async () => {
    platform = await startPlatform()
    right = await platform.start('api-gateway')
    ahead = await platform.start('api-gateway', shifted(10 * minute))
    db = await connectDb(platform.servers.mongoUrl)
    ann = await platform.newUser('ann')
    ben = await platform.newUser('ben')
  })
  afterAll(async () => {
    await db.client.close()
    await platform.stop()
  })

  const databaseMS = async () => ((await db.mongo.command({ hello: 1 })) as { localTime: Date }).localTime.getTime()
  const send = (gateway: RunningService, user: PlatformUser, room: string) =>
    call(gateway.url, 'POST', `/rooms/${room}/message`, user.headers, { message: 'Hi', messageType: 'text' })

  test('is not ready, and reports the difference in its log and a metric', async () => {
    const { status, failing } = await readiness(ahead)
    assert.equal(status, 503)
    assert.match(failing['clock'] ?? '', /^\d+\.\d s ahead of MongoDB$/)
    assert.equal((await readiness(right)).status, 200)
    const metrics = await metricsOf(ahead)
    const [, seconds] = /^parley_clock_offset_seconds\S* (\S+)$/m.exec(metrics) ?? []
    assert.ok(Math.abs(Number(seconds) - 600) < 60, seconds)
    await logged(ahead, /clock differs from that of MongoDB/)
  })

  test("stamps messages with MongoDB's time, so that the room's clock does not jump ahead", async () => {
    const room = await platform.newRoom(['ann', 'ben'])
    for (const gateway of [ahead, right, ahead]) {
      const { status, body } = await send(gateway, ann, room)
      assert.equal(status, 200)
      const sentMS = Number(body.result['createdAtMS'])
      assert.ok(Math.abs(sentMS - (await databaseMS())) < minute, String(sentMS))
    }
    const stored = await db.rooms.findOne({ app: platform.app, id: room })
    assert.ok((stored?.clockMS ?? Infinity) < (await databaseMS()) + minute)
  })

  test("does not extend a room's slow mode", async () => {
    const room = await platform.newRoom(['ann', 'ben'], { owner: 'ann', slowModeS: 2 })
    assert.equal((await send(ahead, ben, room)).status, 200)
    for (const gateway of [right, ahead]) {
      const isSent = async () => (await send(gateway, ben, room)).status === 200
      await eventually('the pause of 2 s is over', isSent, 20)
    }
  })

  test('respects the expiry of tokens and bans, and sends scheduled messages on time', async () => {
    const inFive = new Date((await databaseMS()) + 5 * minute).toISOString()
    await platform.admin('POST', '/admin/clients', {
      ...{ _id: 'cara', issueAccessToken: false, nickname: 'Cara', token: 'five minutes', expirationDate: inFive },
    })
    const headers = { ...ann.headers, 'im-authorization': 'five minutes', 'im-client-id': 'cara' }
    assert.equal((await call(ahead.url, 'GET', '/me', headers)).status, 200)

    const room = await platform.newRoom(['ann', 'ben'])
    const later = { message: 'Later', messageType: 'text', sendAtMS: (await databaseMS()) + 5 * minute }
    assert.equal((await call(right.url, 'POST', `/rooms/${room}/message`, ann.headers, later)).status, 202)
    await platform.admin('POST', `/blockStatus/room/${room}/ben`, { untilMS: (await databaseMS()) + 5 * minute })
    assert.equal((await send(ahead, ben, room)).status, 403)
    // Gateways check for due messages several times a second.
    for (let i = 0; i < 3; i++) assert.equal((await send(ahead, ann, room)).status, 200)
    const { body } = await call(right.url, 'GET', `/rooms/${room}/messages/v3`, ann.headers)
    assert.ok(!JSON.stringify(body).includes('Later'))
  })
})

test('a process whose clock is off by a few seconds is ready and reports the difference', async () => {
  const platform = await startPlatform()
  try {
    const behind = await platform.start('stats', shifted(-8_000))
    assert.equal((await readiness(behind)).status, 200)
    const metrics = await metricsOf(behind)
    const [, seconds] = /^parley_clock_offset_seconds\S* (\S+)$/m.exec(metrics) ?? []
    assert.ok(Number(seconds) < -5 && Number(seconds) > -20, seconds)
    await logged(behind, /clock differs from that of MongoDB/)
  } finally {
    await platform.stop()
  }
})
