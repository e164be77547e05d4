import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { freePorts } from '@parley/stack/free-ports'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'

const names = ['api-gateway', 'realtime', 'push', 'stats'] as const

/** The readiness of each service that started without a server. */
const degraded = {
  nats: { 'api-gateway': 200, realtime: 503, push: 200, stats: 200 },
  redis: { 'api-gateway': 200, realtime: 200, push: 200, stats: 200 },
} as const

describe('a service starts while a server is away', () => {
  let platform: Platform
  let services: Record<(typeof names)[number], RunningService>
  let sent: unknown
  let room: string

  const start = async () => {
    const started = await Promise.all(names.map(async (name) => [name, await platform.start(name)] as const))
    services = Object.fromEntries(started) as typeof services
  }
  const stop = () => Promise.all(names.map((name) => services[name].stop()))
  const send = async () =>
    (await platform.admin('POST', '/messages', { room, sender: 'ann', message: 'x', messageType: 'text' }))['_id']
  const statesOf = async () =>
    Object.fromEntries(
      await Promise.all(
        names.map(async (name) => {
          const { status, failing } = await readiness(services[name])
          return [name, [status, Object.keys(failing)]] as const
        }),
      ),
    )
  const expected = (server: keyof typeof degraded) =>
    Object.fromEntries(names.map((name) => [name, [degraded[server][name], [server]]]))
  const allReady = async () =>
    Object.values(await statesOf()).every(([status, failing]) => status === 200 && failing?.length === 0)

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats', 'redis'] })
  })
  afterAll(() => platform.stop())

  test('NATS: the gateway accepts messages; they reach sockets, pushes and statistics when it is back', async () => {
    await platform.servers.nats.kill()
    await start()
    assert.deepEqual(await statesOf(), expected('nats'))
    const ann = await platform.newUser('ann')
    room = await platform.newRoom(['ann'])
    sent = await send()

    await platform.servers.nats.restart()
    await eventually('all are ready', allReady)
    const socket: Socket = await platform.connect(services.realtime, ann)
    const heard: unknown[] = []
    socket.on('chat message', ({ _id }: { _id: string }) => heard.push(_id))
    const live = await send()
    await eventually('the new message is heard', () => heard.includes(live))
    await eventually('both are counted', async () => {
      const { messageCount } = await platform.admin('GET', '/admin/stats')
      return Number(messageCount) >= 2
    })
    assert.notEqual(sent, live)
    await stop()
  })

  test('NATS: a service that is stopped before it is back stops cleanly, and reports no message as failed', async () => {
    await platform.servers.nats.kill()
    await start()
    await stop()
    await platform.servers.nats.restart()
    for (const name of names) {
      const lines = readFileSync(services[name].logFile, 'utf8').trim().split('\n')
      assert.match(lines.at(-1) ?? '', /"msg":"stopped"/, name)
      assert.deepEqual(
        lines.filter((line) => line.includes('message not handled')),
        [],
      )
    }
  })

  test('Redis: messages are sent and delivered; presence returns when it is back', async () => {
    await platform.servers.redis.kill()
    await start()
    assert.deepEqual(await statesOf(), expected('redis'))
    const bob = await platform.newUser('bob')
    room = await platform.newRoom(['ann', 'bob'])
    const socket = await platform.connect(services.realtime, bob)
    const heard: unknown[] = []
    socket.on('chat message', ({ _id }: { _id: string }) => heard.push(_id))
    const live = await send()
    await eventually('the message is heard', () => heard.includes(live))
    await platform.servers.redis.restart()
    await eventually('all are ready', allReady)
    await stop()
  })

  test('MongoDB: the service exits with code 1 and one sentence', async () => {
    const [port = 0] = await freePorts(1)
    const env = {
      PARLEY_MONGO_URL: `mongodb://127.0.0.1:${port}/parley?replicaSet=parley&serverSelectionTimeoutMS=500`,
    }
    for (const name of names) await assert.rejects(platform.start(name, env), /exit code 1: MongoDB: /, name)
  })
})
