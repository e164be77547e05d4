import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Front, openFront } from '@parley/local/front'
import { freePorts } from '@parley/stack/free-ports'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

describe('all services in one process', () => {
  let platform: Platform
  let front: Front
  let process: RunningService
  let settings: Record<string, string>
  beforeAll(async () => {
    platform = await startPlatform()
    front = await openFront('127.0.0.1', 0)
    const [port = 0] = await freePorts(1)
    settings = {
      PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'loopback',
      PARLEY_STATS_CANARY_URL: `http://127.0.0.1:${front.port}`,
      PARLEY_STATS_CANARY_API_KEY: platform.apiKey,
      PARLEY_STATS_CANARY_CLIENT_KEY: platform.clientKey,
      PARLEY_STATS_CANARY_EVERY_MS: '200',
      PARLEY_STATS_CANARY_CALLBACK_URL: `http://127.0.0.1:${port}`,
    }
    await start()
  })
  afterAll(async () => {
    await platform.stop()
    await front.close()
  })

  async function start(): Promise<void> {
    process = await platform.start('all-in-one', settings)
    front.balance({ gateways: [Number(process.ports['http'])], realtime: [Number(process.ports['sockets'])] })
  }

  test('send, deliver, count and call webhooks', async () => {
    for (const step of ['login', 'send', 'socket', 'history', 'webhook']) {
      const measured = new RegExp(`^parley_canary_seconds_count\\{(?=[^}]*step="${step}")[^}]*\\} [1-9]`, 'm')
      await eventually(`${step} is measured`, async () => measured.test(await metricsOf(process)))
    }
    const counted = async () => Number((await platform.admin('GET', '/admin/stats'))['messageCount'])
    await eventually('messages are counted', async () => (await counted()) > 0)
  })

  test('have their own label in the metrics, and each metric has one type', async () => {
    for (const accept of ['text/plain', 'application/openmetrics-text']) {
      const text = await metricsOf(process, accept)
      const types = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
      assert.deepEqual(types, [...new Set(types)])
      assert.match(text, /^parley_http_request_duration_seconds_count\{[^}]*service="api-gateway"/m)
      assert.match(text, /^parley_connections\{[^}]*service="realtime"/m)
      for (const service of ['push', 'stats']) {
        assert.match(text, new RegExp(`^parley_consumer_lag_messages\\{[^}]*service="${service}"`, 'm'))
      }
      assert.match(text, /^process_cpu_seconds_total\{service="all-in-one"\}/m)
    }
  })

  test('restart after a kill, and everything acknowledged before is there', async () => {
    const [alice, bob] = [await platform.newUser(), await platform.newUser()]
    const room = await platform.newRoom([alice.id, bob.id])
    const message = { room, sender: alice.id, message: 'Hello', messageType: 'text' }
    const { _id } = await platform.admin('POST', '/messages', message)
    await process.kill()
    await start()
    const history = await bob.call('GET', `/rooms/${room}/messages/v3`)
    assert.ok(JSON.stringify(history).includes(String(_id)))

    const socket = await connectClient(`http://127.0.0.1:${process.ports['sockets']}`, alice.token)
    const heard: string[] = []
    socket.on('chat message', (one: { message: string }) => heard.push(one.message))
    await platform.admin('POST', '/messages', { ...message, sender: bob.id, message: 'Hi' })
    await eventually('Alice hears Bob', () => heard.includes('Hi'))
    // The kill can precede the event of the first message.
    assert.deepEqual(heard, ['Hello', 'Hi'].slice(-heard.length))
    const closed = new Promise((resolve) => socket.once('disconnect', resolve))
    await process.stop()
    await closed
    const lines = readFileSync(process.logFile, 'utf8').trim().split('\n')
    assert.match(lines.at(-1) ?? '', /"msg":"stopped"/, lines.slice(-3).join('\n'))
  })
})
