import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openReadProxy, type ReadProxy } from '../doubles/read-proxy.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

/** Two pages of 1,000 members. */
const count = 2_000
const deviceOf = (user: string) => `${user}-fcm`

describe('the pushes of a message to a large room', () => {
  let platform: PushPlatform
  let proxy: ReadProxy
  const members = Array.from({ length: count }, (_, i) => `member ${i}`)
  beforeAll(async () => {
    platform = await startPushPlatform()
    proxy = await openReadProxy(platform.servers.mongoUrl)
    const { db, app } = platform
    for (let i = 0; i < count; i += 1_000) {
      await platform.admin('POST', '/admin/clients/list', { data: members.slice(i, i + 1_000).map((_id) => ({ _id })) })
    }
    await db.devices.insertMany(
      members.map((user) => ({
        ...{ _id: key(app, user, 'phone'), app, user, userKey: key(app, user), device: 'phone' },
        ...{ type: 'fcm', token: deviceOf(user), updatedAt: new Date() },
      })),
    )
  })
  afterAll(async () => {
    await platform.stop()
    await proxy.close()
  })

  test('are stored page by page: after a kill in between, each device gets its push once', async () => {
    const { db, fcm } = platform
    const alice = await platform.newUser()
    const room = await platform.newRoom([alice, ...members])
    // Hang, so that pushes claimed by the killed process have reached the network.
    fcm.behave = () => 'hang'
    const patient = { PARLEY_PUSH_NETWORK_TIMEOUT_MS: '60000', PARLEY_PUSH_CONCURRENCY: '40' }
    const stored = () => db.pushes.countDocuments({})
    const first = await platform.startPush({ ...patient, PARLEY_MONGO_URL: proxy.url })
    const firstPage = proxy.holdNextRead('devices')
    const message = await platform.send(room, alice)
    await firstPage.answered
    // The second page is read once the pushes of the first are stored.
    const secondPage = proxy.holdNextRead('devices')
    firstPage.release()
    await secondPage.answered
    await first.kill()
    const before = await stored()
    assert.ok(before > 0 && before < count, `${before} pushes stored`)
    fcm.behave = () => undefined
    const second = await platform.startPush(patient)
    await eventually('all are stored', async () => (await stored()) === count, 180)
    const due = () => db.pushes.countDocuments({ dueAtMS: { $exists: true } })
    await eventually('nothing waits', async () => (await due()) === 0, 180)
    const inFlight = () => platform.metric(second, /^parley_push_in_flight\{.*fcm/)
    await eventually('nothing is in flight', async () => (await inFlight()) === 0, 180)
    const times = Map.groupBy(fcm.pushes, ({ token, message: { data } }) => `${data.messageID} ${token}`)
    const twice = [...times.values()].filter(({ length }) => length > 1)
    assert.deepEqual(twice, [])
    const missing = members.filter((user) => !times.has(`${message} ${deviceOf(user)}`))
    // Pushes that the killed process had claimed but not sent.
    assert.ok(missing.length <= 40, `${missing.length} devices got none`)
  })
})
