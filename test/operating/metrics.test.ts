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
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

const run = promisify(execFile)
const deploy = join(import.meta.dirname, '../../deploy')

interface Panel {
  title: string
  targets: { expr: string }[]
}
interface Rules {
  groups: { rules: { name: string; query: string; health: string }[] }[]
}

describe('metrics, dashboards and alert rules', () => {
  let platform: PushPlatform
  let services: Record<string, RunningService>
  let programs: PrometheusPrograms
  let prometheus: ChildProcess
  let dir: string
  let api: string
  /** The metrics of each service, and the names of all. */
  let served: Record<string, string>
  let names: Set<string>

  beforeAll(async () => {
    programs = await findPrometheus()
    dir = await mkdtemp(join(tmpdir(), 'parley-prometheus-'))
    platform = await startPushPlatform()
    const [realtime, push, stats] = await Promise.all([
      platform.start('realtime'),
      platform.startPush(),
      platform.start('stats'),
    ])
    services = { 'api-gateway': platform.gateway, realtime, push, stats }
    await makeTraffic(realtime)
    served = Object.fromEntries(
      await Promise.all(
        Object.entries(services).map(async ([name, service]) => [name, await scrape(service)] as const),
      ),
    )
    names = new Set(Object.values(served).flatMap(namesIn))
    await startPrometheus()
  })
  afterAll(async () => {
    prometheus?.kill('SIGKILL')
    await platform?.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })

  const scrape = async ({ ports }: RunningService) =>
    (await fetch(`http://127.0.0.1:${ports['internal']}/metrics`)).text()

  async function makeTraffic(realtime: RunningService): Promise<void> {
    const alice = await platform.newUser()
    const bob = await platform.newUser(['fcm'])
    const room = await platform.newRoom([alice, bob])
    const { token } = await platform.admin('POST', '/admin/clients', { _id: alice, issueAccessToken: true })
    const socket = await connectClient(realtime.url, String(token))
    const heard = new Promise((resolve) => socket.once('chat message', resolve))
    await platform.send(room, alice)
    await heard
    await eventually('the push', () => platform.fcm.pushes.length > 0)
    socket.close()
  }

  /** With every series of a histogram. */
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
    const all = [...args, `--web.listen-address=127.0.0.1:${port}`]
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
  const metricsIn = (expr: string) => expr.match(/\b(?:parley|nodejs|process)_\w+/g) ?? []

  test('a real Prometheus scrapes every service', async () => {
    await eventually('all are up', async () => (await query('up == 1')).result.length === Object.keys(services).length)
  })

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

  test('the alert rules pass promtool and their unit tests', async () => {
    await run(programs.promtool, ['check', 'config', join(deploy, 'prometheus/prometheus.yml')])
    await run(programs.promtool, ['test', 'rules', join(deploy, 'prometheus/alerts.test.yml')])
  })

  test('the real Prometheus evaluates every rule, and each names only existing metrics', async () => {
    const rulesNow = async () => (await ask<Rules>('rules')).groups.flatMap(({ rules }) => rules)
    const isEvaluated = ({ health }: { health: string }) => health === 'ok'
    await eventually('all are evaluated', async () => {
      const rules = await rulesNow()
      return rules.length > 0 && rules.every(isEvaluated)
    })
    for (const { name, query: expr } of await rulesNow()) {
      for (const metric of metricsIn(expr)) assert.ok(names.has(metric), `${name}: ${metric}`)
    }
  })

  for (const file of globSync('helm/parley/files/dashboards/*.json', { cwd: deploy })) {
    test(`${file}: every panel is a valid query on existing metrics`, async () => {
      const { panels } = JSON.parse(readFileSync(join(deploy, file), 'utf8')) as { panels: Panel[] }
      assert.ok(panels.length > 0)
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          await query(expr)
          assert.ok(metricsIn(expr).length > 0, `${title}: ${expr}`)
          for (const metric of metricsIn(expr)) assert.ok(names.has(metric), `${title}: ${metric}`)
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
