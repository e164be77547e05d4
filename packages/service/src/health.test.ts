import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Dependency, type InternalServer, startInternalServer } from './health.ts'
import { createMetrics } from './metrics.ts'

describe('the internal server', () => {
  const checks: Record<string, Dependency> = {}
  const metrics = createMetrics('test')
  let state: 'starting' | 'running' | 'stopping' = 'running'
  let server: InternalServer

  beforeAll(async () => {
    server = await startInternalServer({ host: '127.0.0.1', port: 0, metrics, checks, state: () => state })
  })
  afterAll(() => server.close())

  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`)
    return { status: answer.status, text: await answer.text() }
  }

  test('/readyz is 200 while every dependency responds, and otherwise 503 naming the failed one', async () => {
    checks.mongodb = () => Promise.resolve()
    assert.equal((await get('/readyz')).status, 200)
    checks.nats = () => Promise.reject(new Error('connection refused'))
    const { status, text } = await get('/readyz')
    assert.equal(status, 503)
    assert.deepEqual(JSON.parse(text), { status: 'failing', failing: { nats: 'connection refused' } })
    delete checks.nats
    assert.equal((await get('/readyz')).status, 200)
  })

  test('/readyz stays 200 without an optional dependency, and names it', async () => {
    checks.redis = { optional: () => Promise.reject(new Error('connection refused')) }
    const { status, text } = await get('/readyz')
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(text), { status: 'ready', failing: { redis: 'connection refused' } })
    delete checks.redis
  })

  test('/readyz does not wait for a hanging dependency', async () => {
    checks.redis = () => new Promise(() => undefined)
    const { status, text } = await get('/readyz')
    assert.equal(status, 503)
    assert.match(text, /"redis":"no answer within/)
    delete checks.redis
  })

  test('/readyz is 503 while the service starts and stops, /livez stays 200', async () => {
    for (const now of ['starting', 'stopping'] as const) {
      state = now
      assert.deepEqual(await get('/readyz'), { status: 503, text: `{"status":"${now}","failing":{}}` })
      assert.equal((await get('/livez')).status, 200)
    }
    state = 'running'
  })

  test('/metrics is Prometheus text with the metrics of the process and of the service', async () => {
    metrics.counter('parley_tests_total', 'Tests', ['outcome']).inc({ outcome: 'passed' })
    metrics.gaugeOf('parley_answer', 'Asked at each scrape', () => 42)
    const { status, text } = await get('/metrics')
    assert.equal(status, 200)
    assert.match(text, /^parley_tests_total\{outcome="passed",service="test"\} 1$/m)
    assert.match(text, /^parley_answer\{service="test"\} 42$/m)
    assert.match(text, /^process_resident_memory_bytes\{/m)
  })

  test('/metrics counts metrics that cannot be read, and has the others', async () => {
    const fail = () => {
      throw new Error('away')
    }
    metrics.gaugeOf('parley_broken_gauge', 'Fails', fail)
    metrics.gaugesOf('parley_broken_gauges', 'Fails', 'kind', fail)
    metrics.counterOf('parley_broken_total', 'Fails', 'kind', fail)
    assert.equal((await get('/metrics')).status, 200)
    const { text } = await get('/metrics')
    for (const name of ['parley_broken_gauge', 'parley_broken_gauges', 'parley_broken_total']) {
      assert.match(text, new RegExp(`^parley_metric_failures_total\\{metric="${name}",service="test"\\} [12]$`, 'm'))
    }
    assert.match(text, /^process_resident_memory_bytes\{/m)
  })

  test('any other path is 404', async () => {
    assert.equal((await get('/')).status, 404)
  })
})
