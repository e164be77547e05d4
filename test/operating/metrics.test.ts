import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { diesWithUs } from '@parley/stack/dies-with-us'
import { freePorts } from '@parley/stack/free-ports'
import { findPrometheus, type PrometheusPrograms } from '@parley/stack/test-prometheus'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { z } from 'zod'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'
import { metricsOf } from '../service-metrics.ts'

const run = promisify(execFile)
const traceId = '0af7651916cd43dd8448eb211c80319c'
const deploy = join(import.meta.dirname, '../../deploy')

/** The parts of Grafana's dashboard model that the dashboards use (grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model). */
const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') })
const panelModel = z.strictObject({
  id: z.number().int().positive(),
  type: z.enum(['timeseries', 'stat']),
  title: z.string().min(1),
  datasource,
  gridPos: z.strictObject({
    x: z.number().int().min(0).max(23),
    y: z.number().int().min(0),
    w: z.number().int().min(1).max(24),
    h: z.number().int().min(1),
  }),
  fieldConfig: z.strictObject({
    defaults: z.looseObject({ unit: z.string(), min: z.number().optional(), max: z.number().optional() }),
    overrides: z.array(z.never()),
  }),
  options: z.looseObject({}),
  targets: z
    .array(
      z.strictObject({ datasource, expr: z.string(), legendFormat: z.string(), refId: z.string().regex(/^[A-Z]$/) }),
    )
    .min(1),
})
const dashboardModel = z.strictObject({
  uid: z.string().max(40),
  title: z.string(),
  tags: z.array(z.string()),
  timezone: z.literal('browser'),
  schemaVersion: z.literal(39),
  version: z.number(),
  refresh: z.string(),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  panels: z.array(panelModel).min(1),
})
type Panel = z.output<typeof panelModel>
interface Rules {
  groups: { rules: { name: string; query: string; health: string; type: 'alerting' | 'recording' }[] }[]
}

describe('metrics, dashboards and alert rules', () => {
  let platform: PushPlatform
  let services: Record<string, RunningService>
  let programs: PrometheusPrograms
  let prometheus: ChildProcess
  let traces: CallbackDouble
  let dir: string
  let api: string
  /** The metrics of each service as text. */
  let served: Record<string, string>
  let names: Set<string>

  beforeAll(async () => {
    programs = await findPrometheus()
    dir = await mkdtemp(join(tmpdir(), 'parley-prometheus-'))
    platform = await startPushPlatform()
    traces = await startCallback()
    traces.behave = () => ({ status: 200, body: '{}' })
    const [gateway, realtime, push, stats] = await Promise.all([
      platform.start('api-gateway', { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url }),
      platform.start('realtime'),
      platform.startPush(),
      platform.start('stats'),
    ])
    services = { 'api-gateway': gateway, realtime, push, stats }
    await makeTraffic(gateway, realtime)
    served = Object.fromEntries(
      await Promise.all(
        Object.entries(services).map(async ([name, service]) => [name, await metricsOf(service)] as const),
      ),
    )
    names = new Set(Object.values(served).flatMap(namesIn))
    await startPrometheus()
  })
  afterAll(async () => {
    prometheus?.kill('SIGKILL')
    await platform?.stop()
    await traces?.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })

  /** Sends one message with a traced request. */
  async function makeTraffic(gateway: RunningService, realtime: RunningService): Promise<void> {
    const alice = await platform.newUser()
    const bob = await platform.newUser(['fcm'])
    const room = await platform.newRoom([alice, bob])
    const { token } = await platform.admin('POST', '/admin/clients', { _id: alice, issueAccessToken: true })
    const socket = await connectClient(realtime.url, String(token))
    const heard = new Promise((resolve) => socket.once('chat message', resolve))
    const message = { room, sender: alice, message: 'Hello', messageType: 'text' }
    const headers = { 'im-api-key': platform.apiKey, traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    assert.equal((await call(gateway.url, 'POST', '/messages', headers, message)).status, 200)
    await heard
    await eventually('the push', () => platform.fcm.pushes.length > 0)
    socket.close()
  }

  /** The metric names in a text, including every series of a histogram. */
  function namesIn(text: string): string[] {
    return [...text.matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    )
  }

  async function startPrometheus(): Promise<void> {
    const [port = 0] = await freePorts(1)
    const targets = Object.values(services).map(({ ports }) => `"127.0.0.1:${ports['internal']}"`)
    const config = readFileSync(join(deploy, 'prometheus/prometheus.yml'), 'utf8')
      .replaceAll(/interval: \d+s/g, 'interval: 1s')
      .replace('../helm/parley/files', join(deploy, 'helm/parley/files'))
      .replace(/dns_sd_configs:[^]*port: 9090/, `static_configs: [{ targets: [${targets.join(', ')}] }]`)
    writeFileSync(join(dir, 'prometheus.yml'), config)
    const args = [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`]
    const all = [...args, `--web.listen-address=127.0.0.1:${port}`, '--enable-feature=exemplar-storage']
    prometheus = spawn(...diesWithUs('KILL', programs.prometheus, all), { stdio: 'ignore' })
    api = `http://127.0.0.1:${port}/api/v1`
    await eventually('Prometheus', () => query('up').catch(() => undefined))
  }

  async function ask<T>(path: string): Promise<T> {
    const answer = (await (await fetch(`${api}/${path}`)).json()) as { status: string; data: T; error?: string }
    assert.equal(answer.status, 'success', answer.error)
    return answer.data
  }
  const query = (expr: string) => ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`)
  /** Names of Parley's metrics and recording rules in an expression. */
  const metricsIn = (expr: string) => expr.match(/\b(?:slo:\w+:\w+|(?:parley|nodejs|process)_\w+)/g) ?? []
  const rulesNow = async () => (await ask<Rules>('rules')).groups.flatMap(({ rules }) => rules)
  const isKnown = async (metric: string) =>
    names.has(metric) || (await rulesNow()).some(({ name, type }) => type === 'recording' && name === metric)

  test('a real Prometheus scrapes every service', async () => {
    await eventually('all are up', async () => (await query('up == 1')).result.length === Object.keys(services).length)
  })

  test('Prometheus, which asks for OpenMetrics, sees the names of the text format', async () => {
    const sampled = Object.values(served).flatMap((text) =>
      [...text.matchAll(/^(\w+)[{ ]/gm)].map(([, name = '']) => name),
    )
    assert.ok(sampled.length > 100)
    const seen = await ask<string[]>('label/__name__/values')
    assert.deepEqual(
      sampled.filter((name) => !seen.includes(name)),
      [],
    )
  })

  for (const histogram of ['parley_http_request_duration_seconds', 'parley_delivery_seconds']) {
    test(`${histogram} has the trace of a request as its exemplar`, async () => {
      const found = await ask<{ exemplars: { labels: Record<string, string> }[] }[]>(
        `query_exemplars?query=${histogram}_bucket&start=${Date.now() / 1_000 - 600}&end=${Date.now() / 1_000 + 60}`,
      )
      assert.ok(found.flatMap(({ exemplars }) => exemplars).some(({ labels }) => labels['trace_id'] === traceId))
    })
  }

  for (const service of ['api-gateway', 'realtime', 'push', 'stats']) {
    test(`the names and units of ${service} follow the conventions (promtool check metrics)`, async () => {
      const checking = run(programs.promtool, ['check', 'metrics'])
      checking.child.stdin?.end(served[service])
      const said = await checking.then(
        ({ stdout, stderr }) => stdout + stderr,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      )
      const ours = said.split('\n').filter((line) => line.startsWith('parley_') || line.includes('error'))
      assert.deepEqual(ours, [])
      assert.match(served[service] ?? '', /^parley_dependency_up\{.*\} 1$/m)
    })
  }

  test('the alert rules pass promtool’s check and unit tests', async () => {
    await run(programs.promtool, ['check', 'config', join(deploy, 'prometheus/prometheus.yml')])
    const tests = ['alerts', 'slos'].map((name) => join(deploy, `prometheus/${name}.test.yml`))
    // It would collect garbage for a quarter of its time.
    await run(programs.promtool, ['test', 'rules', ...tests], { env: { ...process.env, GOGC: '300' } })
  })

  test('the real Prometheus evaluates every rule, and rules use only existing metrics', async () => {
    const isEvaluated = ({ health }: { health: string }) => health === 'ok'
    await eventually('all are evaluated', async () => {
      const rules = await rulesNow()
      return rules.length > 0 && rules.every(isEvaluated)
    })
    for (const { name, query: expr } of await rulesNow()) {
      for (const metric of metricsIn(expr)) assert.ok(await isKnown(metric), `${name}: ${metric}`)
    }
  })

  test('the delivery of the message is measured once, at its node', () => {
    assert.match(served['realtime'] ?? '', /^parley_delivery_seconds_bucket\{.*le="60".*\} 1$/m)
    assert.match(served['realtime'] ?? '', /^parley_delivery_seconds_count\{.*\} 1$/m)
  })

  test('the stats service exports the free capacity of MongoDB, the stream and Redis', async () => {
    for (const metric of [
      'parley_mongodb_disk_free_bytes',
      'parley_mongodb_oplog_window_seconds',
      'parley_mongodb_cache_ratio',
      'parley_stream_bytes',
      'parley_stream_max_bytes',
      'parley_stream_max_age_seconds',
      'parley_redis_memory_bytes',
    ]) {
      await eventually(metric, async () => {
        const text = await metricsOf(services['stats'] as RunningService)
        return (
          new RegExp(`^${metric}\\{.*\\} [1-9.]`, 'm').test(text) ||
          new RegExp(`^${metric}\\{.*\\} 0\\.\\d*[1-9]`, 'm').test(text)
        )
      })
    }
  })

  for (const file of globSync('helm/parley/files/dashboards/*.json', { cwd: deploy })) {
    test(`${file}: every panel is a valid query on existing metrics`, async () => {
      const { panels } = dashboardModel.parse(JSON.parse(readFileSync(join(deploy, file), 'utf8')))
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'panel IDs are unique')
      assert.deepEqual(
        panels.filter((panel) => panels.some((other) => overlap(panel, other))),
        [],
      )
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          await query(expr)
          assert.ok(metricsIn(expr).length > 0, `${title}: ${expr}`)
          for (const metric of metricsIn(expr)) assert.ok(await isKnown(metric), `${title}: ${metric}`)
        }
      }
    })
  }

  test('every metric of Parley is in a dashboard or an alert rule', () => {
    const used = [...globSync('helm/parley/files/dashboards/*.json', { cwd: deploy }), 'helm/parley/files/alerts.yml']
      .map((file) => readFileSync(join(deploy, file), 'utf8'))
      .join('')
    const unused = [...names]
      .filter((name) => name.startsWith('parley_'))
      .filter((name) => !used.includes(name.replace(/_(bucket|sum|count)$/, '')))
    assert.deepEqual(unused, [])
  })
})

function overlap(one: Panel, other: Panel): boolean {
  const [a, b] = [one.gridPos, other.gridPos]
  return one !== other && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}
