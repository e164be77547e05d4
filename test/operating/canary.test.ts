import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Front, openFront } from '@parley/local/front'
import { freePorts } from '@parley/stack/free-ports'
import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

describe('the canary of stats', () => {
  let platform: Platform
  let front: Front
  let stats: RunningService
  let gateways: number[]
  let realtime: number[]
  let callback: string
  beforeAll(async () => {
    platform = await startPlatform()
    front = await openFront('127.0.0.1', 0)
    const [gateway, node] = await Promise.all([
      platform.start('api-gateway'),
      platform.start('realtime'),
      platform.start('push', { PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'loopback' }),
    ])
    gateways = [gateway.ports['http'] ?? 0]
    realtime = [node.ports['http'] ?? 0]
    front.balance({ gateways, realtime })
    const [port = 0] = await freePorts(1)
    callback = `http://127.0.0.1:${port}`
    stats = await platform.start('stats', {
      PARLEY_STATS_CANARY_URL: `http://127.0.0.1:${front.port}`,
      PARLEY_STATS_CANARY_API_KEY: platform.apiKey,
      PARLEY_STATS_CANARY_CLIENT_KEY: platform.clientKey,
      PARLEY_STATS_CANARY_EVERY_MS: '200',
      PARLEY_STATS_CANARY_CALLBACK_URL: callback,
    })
  })
  afterAll(async () => {
    await platform.stop()
    await front.close()
  })

  async function count(name: string, step: string): Promise<number> {
    const metrics = await metricsOf(stats)
    const line = new RegExp(`^${name}\\{(?=[^}]*step="${step}")[^}]*\\} (\\d+)$`, 'm')
    return Number(line.exec(metrics)?.[1] ?? 0)
  }

  test('measures each step of a message', async () => {
    for (const step of ['login', 'send', 'socket', 'history', 'webhook']) {
      await eventually(`${step} is measured`, async () => (await count('parley_canary_seconds_count', step)) > 0)
    }
  })

  test('counts failures by step', async () => {
    const before = await count('parley_canary_failures_total', 'send')
    front.balance({ gateways: [], realtime: [] })
    await eventually('sends fail', async () => (await count('parley_canary_failures_total', 'send')) > before)
    const arrived = await count('parley_canary_seconds_count', 'send')
    front.balance({ gateways, realtime: [] })
    await eventually('sends go on', async () => (await count('parley_canary_seconds_count', 'send')) > arrived)
  })

  test('waits for its login before it sends: a socket that is late is no message that was lost', async () => {
    front.balance({ gateways, realtime: [] })
    const failures = (step: string) => count('parley_canary_failures_total', step)
    await eventually('it is logged out', async () => (await failures('login')) > 0)
    const lost = await failures('socket')
    const sent = await count('parley_canary_seconds_count', 'send')
    await eventually('sends go on', async () => (await count('parley_canary_seconds_count', 'send')) > sent + 1)
    front.balance({ gateways, realtime })
    const arrived = await count('parley_canary_seconds_count', 'socket')
    await eventually('messages arrive', async () => (await count('parley_canary_seconds_count', 'socket')) > arrived)
    assert.equal(await failures('socket'), lost)
  })

  test('counts no failure if its connection drops during the login, and the next one logs in', async () => {
    let drops = 0
    const proxy = await openTcpProxy({ host: '127.0.0.1', port: realtime[0] ?? 0 }, (client, upstream) => {
      closeTogether(client, upstream)
      let isConnected = false
      upstream.on('data', (bytes) => {
        // The CONNECT packet of Socket.IO: auth2 follows.
        isConnected ||= bytes.includes('40{')
        client.write(bytes)
      })
      client.on('data', (bytes) => {
        if (!isConnected || drops > 0) return void upstream.write(bytes)
        drops++
        client.destroy()
      })
    })
    const failures = () => count('parley_canary_failures_total', 'login')
    const sends = await count('parley_canary_failures_total', 'send')
    front.balance({ gateways: [], realtime: [] })
    await eventually('sends fail', async () => (await count('parley_canary_failures_total', 'send')) > sends)
    const before = await failures()
    front.balance({ gateways, realtime: [] })
    // The next login has just begun to wait.
    await eventually('it is logged out', async () => (await failures()) > before)
    const [failed, arrived] = [await failures(), await count('parley_canary_seconds_count', 'socket')]
    front.balance({ gateways, realtime: [proxy.port] })
    await eventually('messages arrive', async () => (await count('parley_canary_seconds_count', 'socket')) > arrived)
    assert.deepEqual([drops, await failures()], [1, failed])
    front.balance({ gateways, realtime })
    await proxy.close()
  })

  test('logs an unreadable call and a room that cannot be deleted', async () => {
    const logs = (text: string) => () => Promise.resolve(readFileSync(stats.logFile, 'utf8').includes(text))
    assert.equal((await fetch(callback, { method: 'POST', body: 'no JSON' })).status, 400)
    await eventually('the call is logged', logs('a call to the canary could not be read'))
    front.balance({ gateways: [], realtime: [] })
    await eventually('the room is logged', logs('the room of a canary could not be deleted'))
  })
})
