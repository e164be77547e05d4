import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createMetrics } from '@parley/service/metrics'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'
import { shedLoad } from './shed-load.ts'

describe('a gateway whose event loop lags', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ maxLoopDelayMS: 200 })
  })
  afterAll(() => gateway.stop())

  test('refuses requests with 503 and Retry-After until it catches up', async () => {
    const ask = async () => gateway.admin('GET', '/admin/groups')
    let answer = await ask()
    while (answer.status !== 503) {
      for (const untilMS = Date.now() + 2_000; Date.now() < untilMS; );
      answer = await ask()
    }
    assert.deepEqual([answer.body.RC, answer.body.error.code], [503, 'OVERLOADED'])
    assert.match((await gateway.metrics.scrape()).text, /^parley_requests_shed_total{[^}]*} [1-9]/m)
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    while ((await ask()).status !== 200) await pause(20)
  })
})

describe('a gateway whose start blocked the event loop', () => {
  /** Listens while still behind from its start and gets a request: the status, and how long the response took. */
  async function firstRequest(): Promise<{ status: number; tookMS: number }> {
    const app = fastify()
    const isBehind = shedLoad(app, createMetrics('test'), 200)
    app.get('/', () => 'served')
    await app.ready()
    while (!isBehind()) {
      for (const untilMS = Date.now() + 2_000; Date.now() < untilMS; );
      await app.inject('/')
      await pause(1)
    }
    const beginMS = performance.now()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { statusCode: status } = await app.inject('/')
    const tookMS = performance.now() - beginMS
    await app.close()
    return { status, tookMS }
  }

  test('does not refuse its first requests', async () => {
    let first = await firstRequest()
    // On a machine that stalls for that long, the lag no longer comes from the start.
    while (first.tookMS > 1_000) first = await firstRequest()
    assert.equal(first.status, 200)
  })
})
