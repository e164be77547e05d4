import assert from 'node:assert/strict'
import { chart, headOf, rendered } from '@parley/local/chart/rendered'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import {
  environmentOf,
  type KubeObject,
  type Labels,
  mainOf,
  objects,
  podOf,
  production,
  read,
  withIngress,
} from './k8s-objects.ts'
import { knownSettings, wrongVariables } from './known-settings.ts'
import { valuesIn, valuesTable } from './values-table.ts'

interface Schema {
  additionalProperties?: unknown
  properties?: Record<string, Schema>
  type?: unknown
  $ref?: string
}

const values = read(`${chart}/values.yaml`)
const schema = JSON.parse(read(`${chart}/values.schema.json`)) as Schema & { definitions: Record<string, Schema> }

describe('deploy/helm/parley', () => {
  test.each(rendered)('$file is up to date with the chart and $values', (target) => {
    const [head] = read(target.file).split('\n')
    assert.equal(head, headOf(target), 'run npm run chart')
  })

  test('its README lists every value with its comment in values.yaml, and every value has a comment', () => {
    assert.ok(read(`${chart}/README.md`).includes(valuesTable(values)), 'run npm run chart')
    const told = new Set(valuesIn(values).map(({ path }) => path))
    const leaves = (value: unknown, path: string): string[] =>
      told.has(path) || typeof value !== 'object' || !value || Array.isArray(value)
        ? [path]
        : Object.entries(value).flatMap(([key, inner]) => leaves(inner, path ? `${path}.${key}` : key))
    const untold = leaves(parse(values), '').filter((path) => !told.has(path))
    // A neighbour's comment covers these.
    assert.deepEqual(
      untold.filter((path) => !/\.(min|max|interval)$/.test(path)),
      [],
    )
  })

  test('its schema has every value and rejects others', () => {
    const compare = (value: Record<string, unknown>, known: Schema, path: string) => {
      assert.equal(known.additionalProperties, false, path)
      const properties = known.properties ?? {}
      for (const [key, inner] of Object.entries(value)) {
        const next = properties[key]
        assert.ok(next, `${path}${key}`)
        if (next.properties) compare(inner as Record<string, unknown>, next, `${path}${key}.`)
      }
      const more = Object.keys(properties).filter((key) => !(key in value) && key !== 'global')
      assert.deepEqual(more, [], path)
    }
    compare(parse(values) as Record<string, unknown>, schema, '')
  })

  test('its schema accepts secrets as files, but not as settings', () => {
    const secrets = [...new Set(knownSettings().flatMap(({ env, mayBeFile }) => (mayBeFile ? [env] : [])))].toSorted()
    const { settings, secretFiles } = schema.definitions
    const refused = settings?.properties ?? {}
    assert.deepEqual(Object.keys(refused).toSorted(), secrets, 'run npm run chart')
    for (const rule of Object.values(refused)) assert.deepEqual(rule, { type: 'null' })
    assert.deepEqual(Object.keys(secretFiles?.properties ?? {}).toSorted(), secrets)
    assert.deepEqual([settings?.additionalProperties, secretFiles?.additionalProperties], [false, false])
    // Helm's errors about them name another value.
    assert.ok(!JSON.stringify(schema).includes('propertyNames'))
  })

  test('has the version of this release', () => {
    const { version, appVersion } = parse(read(`${chart}/Chart.yaml`)) as Record<string, string>
    const release = (JSON.parse(read('package.json')) as { version: string }).version
    assert.deepEqual([version, appVersion], [release, release])
  })

  test('contains the alerts and dashboards', () => {
    const template = read(`${chart}/templates/monitoring.yaml`)
    assert.match(template, /spec: \{\{- \$\.Files\.Get "files\/alerts\.yml" \| nindent 2 \}\}/)
    assert.match(template, /\$\.Files\.Glob "files\/dashboards\/\*\.json"\)\.AsConfig/)
  })

  test("a changed setting starts new pods: the pod template contains settings and a checksum of the chart's Secret", () => {
    for (const deployment of [...production('Deployment'), ...withIngress('Deployment')]) {
      assert.equal(environmentOf(mainOf(deployment))['PARLEY_DRAIN_MS'], '20000', deployment.metadata.name)
    }
    assert.deepEqual(production('ConfigMap'), [])
    for (const { spec } of withIngress('Deployment')) {
      assert.match(spec.template.metadata.annotations?.['checksum/secrets'] ?? '', /^[0-9a-f]{64}$/)
    }
  })

  test('migrates after creating the Secret, before an install or upgrade but not a rollback, with Helm, Argo CD and Flux', () => {
    const weightOf = ({ metadata }: KubeObject) => Number(metadata.annotations?.['helm.sh/hook-weight'])
    const [migrate] = withIngress('Job')
    assert.ok(migrate)
    const { annotations = {} } = migrate.metadata
    assert.equal(annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
    assert.equal(podOf(migrate).restartPolicy, 'Never', 'its log outlives its last retry')
    assert.equal(annotations['argocd.argoproj.io/hook'], 'PreSync')
    assert.equal(annotations['kustomize.toolkit.fluxcd.io/force'], 'enabled')
    const hooks = withIngress('Secret').map(({ metadata }) => metadata.annotations?.['helm.sh/hook'] ?? '')
    assert.equal(hooks.length, 2)
    for (const hook of hooks) assert.match(hook, /^pre-install\b/)
    for (const secret of withIngress('Secret')) assert.ok(weightOf(secret) < weightOf(migrate))
  })

  test('backs up with a CronJob, as its own user, one at a time, to the configured place', () => {
    assert.deepEqual(
      [...withIngress('CronJob'), ...objects.filter(({ kind }) => kind === 'CronJob')],
      [],
      'off by default',
    )
    const [cron] = production('CronJob')
    const { jobTemplate, ...schedule } = (cron?.spec ?? {}) as unknown as {
      jobTemplate: KubeObject
      schedule: string
      concurrencyPolicy: string
    }
    assert.equal(schedule.concurrencyPolicy, 'Forbid')
    const container = mainOf(jobTemplate)
    const { place, keep, mongoUrlKey } = (parse(read('deploy/helm/examples/production.yaml')) as { backup: Labels })
      .backup
    assert.deepEqual(container.args, [
      'build/parley.js',
      'backup',
      place,
      '--history-seconds',
      '3600',
      '--keep',
      String(keep),
    ])
    const environment = environmentOf(container)
    assert.equal(environment['PARLEY_MONGO_URL_FILE'], `/run/secrets/${mongoUrlKey}`)
    assert.deepEqual(wrongVariables(environment), [])
    const pod = podOf(jobTemplate)
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.automountServiceAccountToken], [true, false])
    assert.ok(container.resources.limits.memory)
    const outside = production('NetworkPolicy').find(({ metadata }) => metadata.name === 'outside')
    assert.match(JSON.stringify(outside?.spec), /"backup"/, 'it reaches the bucket')
    assert.equal(jobTemplate.spec.template.metadata.labels['app.kubernetes.io/name'], 'backup')
  })

  test("the canary's port takes webhooks at the address of its pod, from push alone", () => {
    const stats = production('Deployment').find(({ metadata }) => metadata.name === 'stats')
    assert.ok(stats)
    const { env = [], ports = [] } = mainOf(stats)
    const [podIP, ...rest] = env
    // Kubernetes resolves names that stand before.
    assert.deepEqual(podIP, { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } })
    const url = rest.find(({ name }) => name === 'PARLEY_STATS_CANARY_CALLBACK_URL')?.value
    const host = rest.find(({ name }) => name === 'PARLEY_STATS_CANARY_CALLBACK_HOST')?.value
    assert.deepEqual([url, host], ['http://$(POD_IP):9191', '0.0.0.0'])
    assert.ok(ports.some(({ name, containerPort }) => name === 'canary' && containerPort === 9191))
    const policy = (name: string) => production('NetworkPolicy').find(({ metadata }) => metadata.name === name)?.spec
    const pods = (name: string) => ({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'parley' } },
    })
    const canary = [{ port: 'canary' }]
    assert.deepEqual(policy('canary-out'), {
      ...{ ...pods('push'), policyTypes: ['Egress'] },
      egress: [{ to: [pods('stats')], ports: canary }],
    })
    assert.deepEqual(policy('canary-in'), {
      ...{ ...pods('stats'), policyTypes: ['Ingress'] },
      ingress: [{ from: [pods('push')], ports: canary }],
    })
    assert.ok(!JSON.stringify(objects).includes('POD_IP'), 'off by default')
  })

  test('a generated password is in its server’s URL and in a Secret that an install creates, and an upgrade if a password is missing', () => {
    const [kept, urls] = ['parley-passwords', 'parley'].map((name) =>
      withIngress('Secret').find(({ metadata }) => metadata.name === name),
    )
    const password = kept?.stringData?.['redis'] ?? ''
    assert.match(password, /^\w{40}$/)
    assert.equal(urls?.stringData?.['redis-url'], `redis://:${password}@redis:6379`)
    assert.deepEqual(Object.keys(kept?.stringData ?? {}), ['redis'])
    assert.equal(kept?.metadata.annotations?.['helm.sh/hook'], 'pre-install')
    const template = read(`${chart}/templates/secrets.yaml`)
    assert.match(template, /if and \$passwords \(or \$\.Release\.IsInstall \$isNew\)/)
    assert.match(template, /helm\.sh\/hook: \{\{ ternary "pre-install" "pre-upgrade" \$\.Release\.IsInstall \}\}/)
  })
})
