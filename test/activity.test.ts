import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connectDb, type Db } from '@parley/db/connect'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

/** Without a stats service: what is here, the nodes have noted themselves. */
suite('the users of a time (GET /admin/stats, userList)', { timeout: 60_000 }, () => {
  let platform: Platform
  let gateway: RunningService
  let node: RunningService
  let db: Db
  let token: string
  before(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    node = await platform.start('realtime')
    db = await connectDb(platform.servers.mongoUrl, { appName: 'test' })
    token = String((await admin('POST', '/admin/clients', { _id: 'alice', issueAccessToken: true }))['token'])
  })
  after(async () => {
    await db?.client.close()
    await platform.stop()
  })
  const admin = async (method: string, path: string, body?: unknown) =>
    (await call(gateway.url, method, path, { 'im-api-key': platform.apiKey }, body)).body.result
  const userList = async () => (await admin('GET', '/admin/stats'))['userList']
  const isAlice = async () => JSON.stringify(await userList()) === '["alice"]'

  test('have everybody who was connected, from his login to his disconnect', async () => {
    assert.deepEqual(await userList(), [])
    const socket = await connectClient(node.url, token)
    await eventually('his login is noted', isAlice)
    await db.statsUsers.deleteMany({})
    assert.deepEqual(await userList(), [])
    socket.close()
    await eventually('his disconnect is noted', isAlice)
  })

  test('have those whose node is stopped', async () => {
    await connectClient(node.url, token)
    await eventually('his login is noted', isAlice)
    await db.statsUsers.deleteMany({})
    await node.stop()
    assert.deepEqual(await userList(), ['alice'])
  })
})
