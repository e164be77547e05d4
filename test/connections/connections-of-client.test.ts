import assert from 'node:assert/strict'
import { makeApp } from '@parley/local/make-app'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

interface Connection {
  deviceId: string
  node: string
  transport: string
  sinceMS: number
  lastSeenMS: number
  userAgent: string
  clientVersion?: string
}

describe('GET /admin/clients/{client_id}/connections', () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]
  let bob: PlatformUser
  const open: Socket[] = []

  beforeAll(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    const env = { PARLEY_REALTIME_PING_INTERVAL_MS: '300' }
    nodes = await Promise.all([platform.start('realtime', env), platform.start('realtime', env)])
    bob = await platform.newUser('bob / *')
  })
  afterAll(async () => {
    for (const socket of open) socket.close()
    await platform.stop()
  })

  const path = `/admin/clients/${encodeURIComponent('bob / *')}/connections`
  const list = async () =>
    (await platform.admin('GET', path)) as unknown as { data: Connection[]; silentNodes: string[] }
  const listed = async (count: number): Promise<Connection[]> => {
    await eventually(`${count} connections`, async () => (await list()).data.length === count)
    return (await list()).data
  }

  test('lists the devices on all nodes with transport, time, client and last activity', async () => {
    const before = Date.now()
    const [first, second] = nodes as [RunningService, RunningService]
    open.push(await platform.connect(first, bob, { deviceId: 'phone', headers: { 'user-agent': 'Chat/2.3' } }))
    const polling = io(second.url, { transports: ['polling'], auth: { clientVersion: '9.9.9' }, forceNew: true })
    open.push(polling)
    await polling.emitWithAck('auth2', bob.token, { deviceId: 'tablet' })
    const data = await listed(2)
    assert.deepEqual(
      data.map(({ deviceId, transport, clientVersion }) => [deviceId, transport, clientVersion]),
      [
        ['phone', 'websocket', undefined],
        ['tablet', 'polling', '9.9.9'],
      ],
    )
    assert.equal(new Set(data.map(({ node }) => node)).size, 2)
    assert.equal(data[0]?.userAgent, 'Chat/2.3')
    for (const { sinceMS, lastSeenMS } of data) {
      assert.ok(sinceMS >= before && sinceMS <= Date.now())
      assert.ok(lastSeenMS >= before - 2_000 && lastSeenMS <= Date.now())
    }
    const seen = new Map(data.map(({ deviceId, lastSeenMS }) => [deviceId, lastSeenMS]))
    await eventually('both have new activity', async () =>
      (await list()).data.every(({ deviceId, lastSeenMS }) => lastSeenMS > (seen.get(deviceId) ?? 0) + 1_000),
    )
    assert.ok(!JSON.stringify(data).includes(bob.token))
  })

  test('omits a disconnected device and those of a killed node', async () => {
    open.shift()?.close()
    assert.deepEqual(
      (await listed(1)).map(({ deviceId }) => deviceId),
      ['tablet'],
    )
    await nodes[1]?.kill()
    await eventually('the killed node is forgotten', async () => {
      const { data, silentNodes } = await list()
      return data.length === 0 && silentNodes.length === 0
    })
  })

  test("covers only existing users of the caller's app", async () => {
    open.push(await platform.connect(nodes[0] as RunningService, bob, { deviceId: 'phone' }))
    await listed(1)
    const other = await makeApp(platform.servers.mongoUrl, `other than ${platform.app}`)
    const headers = { 'im-api-key': other.apiKey }
    assert.equal((await call(gateway.url, 'GET', path, headers)).status, 404)
    await call(gateway.url, 'POST', '/admin/clients', headers, { _id: 'bob / *', issueAccessToken: true })
    const { status, body } = await call(gateway.url, 'GET', path, headers)
    assert.deepEqual([status, body.result['data']], [200, []])
  })
})
