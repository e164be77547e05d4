import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Fields, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'

describe('Redis killed and restarted', () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: [RunningService, RunningService]
  const sockets: Socket[] = []

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['redis'] })
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
  })
  afterAll(async () => {
    for (const socket of sockets) socket.close()
    await platform.stop()
  })

  /** Reads counts from Redis; undefined while Redis is away or its clients have not reconnected. */
  const counted = async (path: string): Promise<Fields | undefined> => {
    const { status, body } = await call(gateway.url, 'GET', path, { 'im-api-key': platform.apiKey })
    if (status !== 200) assert.partialDeepStrictEqual(body, { RC: 503, error: { code: 'SERVICE_UNAVAILABLE' } })
    return status === 200 ? body.result : undefined
  }
  const count = async () => (await counted('/admin/connection-count'))?.['count']
  const shown = async () => (await counted('/admin/overview'))?.['connections']
  const peak = async () => (await counted('/admin/stats'))?.['peakConnectionCount']
  const connect = async (id: string, node: 0 | 1) => {
    const socket = await platform.connect(nodes[node], await platform.newUser(id))
    sockets.push(socket)
    return socket
  }

  test('connections change and messages flow during the outage; the counts are exact afterwards', async () => {
    const users = ['alice', 'bob', 'carol', 'dave']
    const [alice, bob] = [await connect('alice', 0), await connect('bob', 1)]
    await connect('carol', 1)
    await eventually('three are counted', async () => (await count()) === 3)
    await platform.newUser('dave')
    const room = await platform.newRoom(users)

    await platform.servers.redis.kill()
    const dave = await connect('dave', 0)
    bob.close()
    assert.equal(await count(), undefined)
    assert.equal(await peak(), undefined)
    for (const service of [gateway, ...nodes]) {
      const ready = await readiness(service)
      assert.deepEqual([ready.status, Object.keys(ready.failing)], [200, ['redis']])
    }
    const heard = Promise.all(
      [alice, dave].map((socket) => new Promise((resolve) => socket.once('chat message', resolve))),
    )
    await platform.admin('POST', '/messages', { room, sender: 'carol', message: 'x', messageType: 'text' })
    await heard
    await platform.servers.redis.restart()

    await eventually('alice, carol and dave are counted', async () => (await count()) === 3)
    await eventually('the peak includes them', async () => Number(await peak()) >= 3)
    dave.close()
    await eventually('a later disconnect is counted', async () => (await count()) === 2)
  })

  test('a burst right before or during the outage is included in the peak', async () => {
    const alice = await platform.newUser('bursting')
    const burst = async (size: number) => {
      const open = await Promise.all(Array.from({ length: size }, () => platform.connect(nodes[0], alice)))
      for (const socket of open) socket.close()
    }
    const before = Number(await count())
    await burst(10)
    await eventually('they are gone', async () => (await count()) === before)
    await platform.servers.redis.kill()
    await platform.servers.redis.restart()
    await eventually('the burst before', async () => Number(await peak()) >= before + 10)
    await platform.servers.redis.kill()
    await burst(20)
    await platform.servers.redis.restart()
    await eventually('the burst meanwhile', async () => Number(await peak()) >= 20)
  })

  test('counts wait for the reports that Redis has lost', async () => {
    const before = Number(await count())
    const highest = Number(await peak())
    assert.ok(before > 0)
    const { hostname, port } = new URL(platform.servers.redisUrl)
    const redis = createConnection(Number(port), hostname)
    redis.write('FLUSHALL\r\n')
    assert.equal(String((await once(redis, 'data'))[0]), '+OK\r\n')
    redis.end()
    assert.deepEqual(await Promise.all([count(), shown(), peak()]), [before, before, highest])
  })

  test('a node shuts down gracefully during the outage', async () => {
    const node = await platform.start('realtime')
    sockets.push(await platform.connect(node, await platform.newUser('eve')))
    await platform.servers.redis.kill()
    await node.stop()
    const log = readFileSync(node.logFile, 'utf8')
    assert.match(log, /Redis is away: entries of this node expire there/)
    assert.doesNotMatch(log, /did not stop cleanly/)
    await platform.servers.redis.restart()
  })
})
