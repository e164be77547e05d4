import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { chart } from '@parley/local/chart/rendered'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import {
  deployments,
  environmentOf,
  type KubeObject,
  type Labels,
  mainOf,
  objects,
  ofKind,
  podOf,
  production,
  read,
  services,
  settings,
  withIngress,
  workloads,
} from './k8s-objects.ts'
import { knownSettings, wrongVariables } from './known-settings.ts'

describe('deploy/k8s', () => {
  test('has a Deployment for each service that runs its main.ts', () => {
    assert.deepEqual(deployments.map(({ metadata }) => metadata.name).toSorted(), services.toSorted())
    for (const deployment of deployments) {
      const { name } = deployment.metadata
      assert.deepEqual(mainOf(deployment).args, [`build/${name}.js`])
      assert.ok(read(`services/${name}/src/main.ts`))
    }
  })

  test('names only existing settings, and secrets only as files', () => {
    assert.deepEqual(wrongVariables(settings), [])
    for (const workload of [...workloads, ...production('Deployment', 'Job'), ...withIngress('Deployment', 'Job')]) {
      for (const container of podOf(workload).containers) {
        assert.deepEqual(wrongVariables(environmentOf(container)), [], `${workload.file}: ${container.name}`)
      }
    }
    for (const needed of ['PARLEY_MONGO_URL', 'PARLEY_NATS_URL', 'PARLEY_REDIS_URL']) {
      assert.ok(settings[`${needed}_FILE`], needed)
      for (const workload of production('Deployment', 'Job')) {
        assert.ok(environmentOf(mainOf(workload))[`${needed}_FILE`], needed)
      }
      assert.ok(knownSettings().some(({ env }) => env === needed))
    }
  })

  test('every file in a setting is in the Secret of overlays/try or of production', () => {
    const { secretGenerator } = parse(read('deploy/k8s/overlays/try/kustomization.yaml')) as {
      secretGenerator: { name: string; files: string[] }[]
    }
    const made = secretGenerator.find(({ name }) => name === 'parley')?.files.map((file) => basename(file)) ?? []
    const asked = [...read(`${chart}/README.md`).matchAll(/--from-file=([\w-]+)/g)].map(([, name = '']) => name)
    const contents = withIngress('Secret').find(({ metadata }) => metadata.name === 'parley')
    const env = (all: KubeObject[]) => Object.assign({}, ...all.map((one) => environmentOf(mainOf(one)))) as Labels
    for (const [there, given] of [
      [made, settings],
      [asked, env(production('Deployment', 'Job'))],
      [Object.keys(contents?.stringData ?? {}), env(withIngress('Deployment', 'Job'))],
    ] as const) {
      const paths = Object.values(given).filter((value) => value.startsWith('/run/secrets/'))
      assert.ok(paths.length >= 3)
      for (const path of paths) assert.ok(there.includes(basename(path)), `${path} of ${there.join(', ')}`)
    }
  })

  for (const workload of workloads) {
    test(`${workload.file}: ${workload.metadata.name} meets the restricted Pod Security Standard and has resource limits`, () => {
      const pod = podOf(workload)
      assert.equal(pod.automountServiceAccountToken, false)
      assert.equal(pod.securityContext.runAsNonRoot, true)
      assert.ok(pod.securityContext.runAsUser > 0)
      assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault')
      for (const { securityContext, resources } of pod.containers) {
        const closed = {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        }
        assert.deepEqual(securityContext, closed)
        assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory)
      }
    })
  }

  test('selectors of workloads, Services, budgets and spreading match their pods', () => {
    const labelled = workloads.map(({ spec }) => spec.template.metadata.labels)
    const finds = (selector: Labels) =>
      labelled.some((labels) => Object.entries(selector).every(([key, value]) => labels[key] === value))
    for (const { spec, metadata } of ofKind('Deployment', 'StatefulSet', 'PodDisruptionBudget', 'PodMonitor')) {
      assert.ok(finds(spec.selector.matchLabels), metadata.name)
    }
    for (const { spec, metadata } of ofKind('Service')) assert.ok(finds(spec.selector), metadata.name)
    for (const deployment of deployments) {
      const { name } = deployment.metadata
      assert.ok(
        ofKind('PodDisruptionBudget').some(({ metadata }) => metadata.name === name),
        `${name} has a budget`,
      )
      assert.ok(ofKind('ServiceAccount').some(({ metadata }) => metadata.name === podOf(deployment).serviceAccountName))
      const spread = podOf(deployment).topologySpreadConstraints ?? []
      assert.deepEqual(
        spread.map(({ labelSelector }) => labelSelector),
        [deployment.spec.selector, deployment.spec.selector],
      )
    }
  })

  test('ports and probes match the code', () => {
    const settings = read('docs/settings.md')
    const defaultOf = (variable: string) => Number(new RegExp(`\`${variable}\` \\| \`(\\d+)\``).exec(settings)?.[1])
    const http = { 'api-gateway': defaultOf('PARLEY_GATEWAY_PORT'), realtime: defaultOf('PARLEY_REALTIME_PORT') }
    const health = read('packages/service/src/health.ts')
    for (const deployment of deployments) {
      const { ports = [], startupProbe, readinessProbe, livenessProbe } = mainOf(deployment)
      const port = (name: string) => ports.find((candidate) => candidate.name === name)?.containerPort
      assert.equal(port('internal'), defaultOf('PARLEY_INTERNAL_PORT'))
      assert.equal(port('http'), http[deployment.metadata.name as keyof typeof http])
      const probes = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet)
      assert.deepEqual(
        probes.map((get) => get?.path),
        ['/livez', '/readyz', '/livez'],
      )
      for (const get of probes) {
        assert.equal(get?.port, 'internal')
        assert.ok(health.includes(`'${get.path}'`), `${get.path} is served`)
      }
    }
    for (const [name, port] of Object.entries(http)) {
      const service = ofKind('Service').find(({ metadata }) => metadata.name === name)
      assert.deepEqual(service?.spec.ports, [{ name: 'http', port, targetPort: 'http' }])
    }
  })

  test("a pod's grace period covers preStop, drain and shutdown", () => {
    const drain = Number(settings['PARLEY_DRAIN_MS']) / 1_000
    for (const deployment of deployments) {
      const pause = mainOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0
      assert.ok(pause > 0 && (podOf(deployment).terminationGracePeriodSeconds ?? 30) > pause + drain + 2)
    }
  })

  test('the autoscaler of realtime uses a metric that realtime exports, and removes one pod at a time', () => {
    const hpa = production('HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === 'realtime')
    const { metrics, behavior } = (hpa as KubeObject).spec as unknown as {
      metrics: { pods: { metric: { name: string } } }[]
      behavior: { scaleDown: { policies: { type: string; value: number }[] } }
    }
    const name = metrics[0]?.pods.metric.name ?? 'none'
    assert.match(read('services/realtime/src/connections/socket-metrics.ts'), new RegExp(`'${name}'`))
    assert.ok(read('deploy/helm/examples/adapter-rule.yaml').includes(name))
    assert.deepEqual(
      behavior.scaleDown.policies.map(({ type, value }) => [type, value]),
      [['Pods', 1]],
    )
  })

  test('images match docker-compose.yml', () => {
    const compose = parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { image: string }>
    }
    const known = new Set(Object.values(compose.services).map(({ image }) => image))
    for (const workload of workloads) {
      for (const { image } of podOf(workload).containers)
        assert.ok(known.has(image.replace(/^parley:latest$/, 'parley')), image)
    }
  })

  test('every file in a kustomization exists, and every object is in one; the base works remotely', () => {
    const named = globSync('k8s/**/kustomization.yaml', { cwd: 'deploy' }).flatMap((file) => {
      const { resources = [] } = parse(read(`deploy/${file}`)) as { resources?: string[] }
      if (file === 'k8s/base/kustomization.yaml') assert.ok(!/\.\.|secretGenerator/.test(JSON.stringify(resources)))
      return resources.map((resource) => join(dirname(file), resource))
    })
    for (const path of named) assert.ok(existsSync(join('deploy', path)), path)
    const left = objects.filter(({ file }) => !named.includes(file))
    assert.deepEqual(
      left.map(({ file }) => file),
      [],
    )
  })
})
