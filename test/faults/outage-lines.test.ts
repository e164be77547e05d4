import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'

const servers = { mongo: 'MongoDB', nats: 'NATS', redis: 'Redis' } as const
const names = ['mongo', 'nats', 'redis'] as const

describe('the log of an outage', () => {
  let platform: Platform
  let services: RunningService[]

  beforeAll(async () => {
    platform = await startPlatform({ toKill: names })
    services = await Promise.all((['api-gateway', 'realtime', 'push', 'stats'] as const).map((s) => platform.start(s)))
  })
  afterAll(() => platform.stop())

  const failing = async () => (await Promise.all(services.map(readiness))).map((state) => Object.keys(state.failing))

  test('has one line when a server goes away and one when it is back, however often it was tried', async () => {
    const [, node] = services
    assert.ok(node)
    // A device and a connection, which the node reports again and again.
    const socket = await platform.connect(node, await platform.newUser('ann'))

    await Promise.all(names.map((name) => platform.servers[name].kill()))
    await eventually('all notice', async () => (await failing()).every((found) => names.length <= found.length))
    // Each takes as long as a few retries.
    for (let round = 0; round < 4; round++) await failing()
    await Promise.all(names.map((name) => platform.servers[name].restart()))
    await eventually('all are ready', async () => (await failing()).every((found) => found.length === 0))
    socket.close()

    for (const { logFile } of services) {
      const lines = readFileSync(logFile, 'utf8')
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as { msg: string; err?: { message: string } })
      const timesOf = (msg: string) => lines.filter((line) => line.msg === msg).length
      for (const server of Object.values(servers)) {
        const away = lines.filter(({ msg }) => msg === `${server} is away`).map(({ err }) => err?.message)
        assert.ok(away.length > 0, `${server} in ${logFile}`)
        assert.deepEqual(away, [...new Set(away)])
        assert.ok(away.length <= 3, away.join())
        assert.equal(timesOf(`${server} is back`), 1, `${server} in ${logFile}`)
      }
      const retried = [...new Set(lines.map(({ msg }) => msg))].filter((msg) => msg.endsWith('; trying again'))
      for (const msg of retried) assert.ok(timesOf(msg) <= 2, `${timesOf(msg)} times ${msg}`)
    }
  })
})
