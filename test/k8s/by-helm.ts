import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { goProgram } from '@parley/local/chart/go-programs'
import { chart } from '@parley/local/chart/rendered'
import { atRest, deployments, kubectl, namespace, podsOf } from './cluster.ts'
import { dir, type Images, makeSecrets, root, splitImage, writeOverlay } from './release.ts'
import type { Step } from './steps.ts'

const drainMS = { changed: 19_000, usual: 20_000 }

/**
 * Installs the chart deploy/helm/parley as a release, with the servers of deploy/k8s/overlays/try: the earlier release, or
 * this one if there is none. `install` does not wait until it is ready; `steps` are updates and rollbacks.
 */
export function byHelm({ now, before }: Images): { install(): Promise<void>; steps: Step[] } {
  const updates: Step[] = [
    {
      name: 'update',
      title: '`helm upgrade` to this release, with its migration',
      reconnects: 1,
      run: () => upgrade(now),
    },
    { name: 'rollback', title: '`helm rollback` to the previous release', reconnects: 1, run: rollback },
    { name: 'update-again', title: '`helm upgrade` again', reconnects: 1, run: () => upgrade(now) },
  ]
  const settings: Step[] = [
    {
      name: 'setting',
      title: '`helm upgrade` with a changed setting',
      reconnects: 1,
      run: () => changeSetting(now),
    },
    { name: 'setting-back', title: '`helm rollback` of that setting', reconnects: 1, run: takeSettingBack },
    {
      name: 'wrong-setting',
      title: '`helm upgrade --atomic` with a setting that gateways reject',
      reconnects: 0,
      run: () => refuseSetting(now),
    },
  ]
  return {
    async install() {
      await installServers()
      // With --keep, the release can already exist.
      await helm(['upgrade', '--install', '--wait', ...valuesOf(before ?? now)])
    },
    steps: [...(before ? updates : []), ...settings],
  }
}

/** Installs MongoDB, NATS, Redis and the front of the overlay, without the chart's objects. */
async function installServers(): Promise<void> {
  const labelSelector = 'app.kubernetes.io/part-of=parley'
  const gone = (apiVersion: string, kind: string) => ({
    target: { kind, labelSelector },
    patch: JSON.stringify({ apiVersion, kind, metadata: { name: 'any' }, $patch: 'delete' }),
  })
  writeOverlay('parley', [
    gone('apps/v1', 'Deployment'),
    gone('v1', 'Service'),
    gone('v1', 'ServiceAccount'),
    gone('policy/v1', 'PodDisruptionBudget'),
    gone('batch/v1', 'Job'),
  ])
  await kubectl(['apply', '--kustomize', dir])
  for (const server of ['statefulset/mongo', 'statefulset/nats', 'deployment/redis']) {
    await kubectl(['rollout', 'status', server, '--timeout=5m'])
  }
}

async function upgrade(image: string, more: object = {}): Promise<undefined> {
  await helm(['upgrade', '--atomic', ...valuesOf(image, more)])
  await atRest()
}

async function rollback(): Promise<undefined> {
  await helm(['rollback', 'parley', '--wait'])
  await atRest()
}

async function changeSetting(image: string): Promise<string> {
  await upgrade(image, { settings: { ...common, PARLEY_DRAIN_MS: drainMS.changed } })
  return havePods(drainMS.changed)
}

async function takeSettingBack(): Promise<string> {
  await rollback()
  return havePods(drainMS.usual)
}

/** Checks the setting in all pods' processes. */
async function havePods(expected: number): Promise<string> {
  const pods = await podsOf(...deployments)
  for (const { name } of pods) {
    const has = (await kubectl(['exec', name, '--', 'node', '-p', 'process.env.PARLEY_DRAIN_MS'])).trim()
    if (has !== String(expected)) throw new Error(`${name} has PARLEY_DRAIN_MS=${has}, not ${expected}`)
  }
  return `${pods.length} pods have it`
}

/** Helm rolls back by itself, since the new gateways never become ready. */
async function refuseSetting(image: string): Promise<string> {
  const podsBefore = (await podsOf('api-gateway')).map(({ name }) => name).toSorted()
  const args = [
    'upgrade',
    '--atomic',
    ...valuesOf(image, { apiGateway: { settings: { PARLEY_GATEWAY_TOKEN_DAYS: 'none' } } }),
  ]
  const said = await helm(args, '60s').then(
    () => 'succeeded',
    (error: Error) => error.message,
  )
  if (!said.includes('rolled back due to atomic')) throw new Error(`helm upgrade with a wrong setting: ${said}`)
  await atRest()
  const podsAfter = (await podsOf('api-gateway')).map(({ name }) => name).toSorted()
  if (podsBefore.join() !== podsAfter.join()) throw new Error(`replaced: ${podsBefore.join()} by ${podsAfter.join()}`)
  return 'rejected and rolled back automatically; no gateway was replaced'
}

/** Half of NATS' volume. */
const common = { PARLEY_STREAM_MAX_BYTES: 1_073_741_824 }

/** Helm arguments: the release, the chart, and values that match deploy/k8s/overlays/try. */
function valuesOf(image: string, more: object = {}): string[] {
  const secrets = makeSecrets()
  const url = (server: string) => readFileSync(join(secrets, `${server}-url`), 'utf8').trim()
  const requests = (cpu: string) => ({ resources: { requests: { cpu } } })
  const values = {
    image: splitImage(image),
    settings: common,
    // Let the chart create the Secret, to cover this hook too.
    secrets: { create: true, urls: { mongo: url('mongo'), nats: url('nats'), redis: url('redis') } },
    apiGateway: requests('75m'),
    // As the chart's README recommends for small fleets.
    realtime: { ...requests('50m'), maxSurge: '100%' },
    push: requests('10m'),
    stats: requests('10m'),
  }
  writeFileSync(join(dir, 'values.json'), JSON.stringify(values, undefined, 2))
  writeFileSync(join(dir, 'more.json'), JSON.stringify(more))
  const files = [join(dir, 'values.json'), join(dir, 'more.json')]
  return ['parley', join(root, chart), ...files.flatMap((file) => ['--values', file])]
}

async function helm(args: string[], timeout = '10m'): Promise<void> {
  await promisify(execFile)(goProgram('helm'), [...args, '--namespace', namespace, '--timeout', timeout])
}
