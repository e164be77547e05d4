import assert from 'node:assert/strict'
import { connectDb, type Db } from '@parley/db/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

/** Runs without a stats service: the nodes record activity themselves. */
describe('active users (GET /admin/stats, userList)', () => {
  let platform: Platform
  let node: RunningService
  let db: Db
  let alice: PlatformUser
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    node = await platform.start('realtime')
    db = await connectDb(platform.servers.mongoUrl, { appName: 'test' })
    alice = await platform.newUser('alice')
  })
  afterAll(async () => {
    await db?.client.close()
    await platform.stop()
  })
  const userList = async () => (await platform.admin('GET', '/admin/stats'))['userList']
  const isAlice = async () => JSON.stringify(await userList()) === '["alice"]'

  test('include all connected users, from login to disconnect', async () => {
    assert.deepEqual(await userList(), [])
    const socket = await platform.connect(node, alice)
    await eventually('the login is recorded', isAlice)
    await db.statsUsers.deleteMany({})
    assert.deepEqual(await userList(), [])
    socket.close()
    await eventually('the disconnect is recorded', isAlice)
  })

  test('include those of a stopped node', async () => {
    await platform.connect(node, alice)
    await eventually('the login is recorded', isAlice)
    await db.statsUsers.deleteMany({})
    await node.stop()
    assert.deepEqual(await userList(), ['alice'])
  })
})
