import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

describe('a ban from the app', () => {
  let platform: Platform
  let node: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    node = await platform.start('realtime')
  })
  afterAll(() => platform.stop())

  test("closes only the user's sockets, for good, with a specific reason", async () => {
    const [eve, bob] = [await platform.newUser('eve'), await platform.newUser('bob')]
    const [banned, stays] = [await platform.connect(node, eve), await platform.connect(node, bob)]
    let reason: string | undefined
    banned.on('disconnect', (why) => {
      reason = why
    })
    await platform.admin('POST', '/admin/clients/eve/ban', {})
    await eventually('the socket is closed', () => reason !== undefined)
    assert.deepEqual([reason, stays.connected], ['io server disconnect', true])
    const metrics = await metricsOf(node)
    assert.match(metrics, /reason="user banned"[^\n]* 1$/m)
    stays.close()
  })
})
