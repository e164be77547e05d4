import assert from 'node:assert/strict'
import { allOperations } from '@parley/contracts/operations/all'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import {
  deployments,
  type KubeObject,
  mainOf,
  objectsIn,
  ofKind,
  production,
  read,
  withIngress,
} from './k8s-objects.ts'

interface Backend {
  name: string
  port: number | { name: string }
}
interface IngressPath {
  path: string
  backend: { service: Backend }
}
interface RouteRule {
  matches: { path: { value: string } }[]
  timeouts: { request: string }
  backendRefs: Backend[]
}
interface PolicyRule {
  ports: { port: number | string; protocol?: string }[]
}

const specOf = (object: KubeObject | undefined): unknown => object?.spec
/** Port names of Parley's containers. */
const named = new Set(
  [...deployments, ...production('Deployment')].flatMap(
    (deployment) => mainOf(deployment).ports?.map(({ name }) => name) ?? [],
  ),
)
const example = (name: string) => read(`deploy/helm/examples/${name}`)

describe('the chart: objects beside the services', () => {
  const { rules } = specOf(production('HTTPRoute')[0]) as { rules: RouteRule[] }
  const routes = rules.flatMap(({ backendRefs }) => backendRefs)
  /** The time limit of the HTTPRoute's rule for a request to this path. */
  const requestTimeoutOf = (value: string) =>
    rules.find(({ matches }) => matches.some(({ path }) => path.value === value))?.timeouts.request
  const pathsOf = (ingress: KubeObject) =>
    (specOf(ingress) as { rules: { http: { paths: IngressPath[] } }[] }).rules.flatMap(({ http }) => http.paths)
  const paths = withIngress('Ingress').flatMap(pathsOf)

  test('the HTTPRoute and the Ingress route to existing Services and ports: sockets to realtime, the rest to gateways', () => {
    for (const backends of [routes, paths.map(({ backend }) => backend.service)]) {
      assert.deepEqual([...new Set(backends.map(({ name }) => name))].toSorted(), ['api-gateway', 'realtime'])
      for (const { name, port } of backends) {
        const ports = ofKind('Service').find(({ metadata }) => metadata.name === name)?.spec.ports as
          | { name: string; port: number }[]
          | undefined
        assert.ok(
          ports?.some((one) => (typeof port === 'number' ? one.port === port : one.name === port.name)),
          name,
        )
      }
    }
  })

  test('every Ingress accepts the headers that gateways send', () => {
    const sizes = withIngress('Ingress').map(
      ({ metadata }) => metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-buffer-size'],
    )
    assert.deepEqual(new Set(sizes), new Set(['32k']))
  })

  test("files up to the gateways' default size limit pass without a time limit", () => {
    const files = withIngress('Ingress').find((ingress) => ingress.metadata.name === 'parley-files')
    const annotations = files?.metadata.annotations ?? {}
    const [, gibibytes] = /^(\d+)g$/.exec(annotations['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '') ?? []
    const [, max] = /PARLEY_GATEWAY_FILE_MAX_BYTES` \| `(\d+)`/.exec(read('docs/settings.md')) ?? []
    assert.ok(Number(gibibytes) * 1024 ** 3 > Number(max), `${gibibytes} GiB`)
    assert.equal(requestTimeoutOf('/files/'), '0s')
  })

  test('a stream of events lasts until its reader closes it', () => {
    const streams = allOperations.filter(({ eventStream }) => eventStream)
    assert.ok(streams.length > 0)
    for (const { path } of streams) assert.equal(requestTimeoutOf(path), '0s', path)
  })

  test('the README of the chart names the cluster requirements of its parts', () => {
    const readme = read('deploy/helm/parley/README.md')
    const labels = JSON.stringify(production('NetworkPolicy')).match(/parley\.dev\/\w+/g) ?? []
    assert.ok(labels.length > 0)
    for (const label of labels) assert.ok(readme.includes(`${label}=true`), label)
    for (const group of ['gateway.networking.k8s.io', 'monitoring.coreos.com']) assert.ok(readme.includes(group), group)
  })

  test('the Ingress logs no address with a token, signature or session', () => {
    const silent = withIngress('Ingress')
      .filter(({ metadata }) => metadata.annotations?.['nginx.ingress.kubernetes.io/enable-access-log'] === 'false')
      .flatMap(pathsOf)
      .map(({ path }) => path)
    assert.deepEqual(silent.toSorted(), ['/chat', '/chat/', '/files/', '/socket.io/'])
  })

  test('Prometheus scrapes a port that every pod has, under the job name of the alerts', () => {
    const monitor = specOf(production('PodMonitor')[0]) as {
      podMetricsEndpoints: { port: string; path: string }[]
      jobLabel: string
    }
    const [endpoint] = monitor.podMetricsEndpoints
    assert.equal(endpoint?.path, '/metrics')
    const jobs = new Set(deployments.map(({ spec }) => spec.template.metadata.labels[monitor.jobLabel]))
    for (const deployment of deployments) {
      assert.ok(
        mainOf(deployment).ports?.some(({ name }) => name === endpoint?.port),
        deployment.metadata.name,
      )
    }
    assert.deepEqual([...jobs], ['parley'])
    assert.match(read('deploy/helm/parley/files/alerts.yml'), /up\{job="parley"\}/)
  })

  test('the network policies open existing ports and the ports of every server in a setting', () => {
    const policies = production('NetworkPolicy').map(
      (object) => specOf(object) as { ingress?: PolicyRule[]; egress?: PolicyRule[] },
    )
    const portsOf = (rules: (PolicyRule[] | undefined)[]) =>
      rules.flatMap((all) => all ?? []).flatMap(({ ports }) => ports.map(({ port }) => port))
    for (const port of portsOf(policies.map(({ ingress: rules }) => rules)))
      assert.ok(named.has(String(port)), `${port}`)
    const out = portsOf(policies.map(({ egress }) => egress))
    const settings = read('docs/settings.md')
    const inSettings = [
      ...settings.matchAll(/(?:mongodb|nats|redis|redis\+sentinel|https?):\/\/[^:\s|`]*?(?:@)?\w+:(\d+)/g),
    ]
    const wanted = new Set(inSettings.map(([, port]) => Number(port)))
    assert.ok(wanted.size >= 4, [...wanted].join(', '))
    for (const port of [...wanted, 53, 443]) assert.ok(out.includes(port), `${port} is open`)
  })

  test('gateways are scaled by a share of one core (docs/scaling.md), and scaled Deployments have no replica count', () => {
    const scaled = production('HorizontalPodAutoscaler').map(({ spec }) => spec['scaleTargetRef'] as { name: string })
    assert.deepEqual(scaled.map(({ name }) => name).toSorted(), ['api-gateway', 'realtime'])
    const keda = objectsIn('helm/examples/keda.yaml').map(({ spec }) => spec['scaleTargetRef'] as { name: string })
    for (const { name } of [...scaled, ...keda]) {
      const target = production('Deployment').find(({ metadata }) => metadata.name === name)
      assert.ok(target, name)
      assert.equal(target.spec['replicas'], undefined, name)
    }
    const gateway = production('Deployment').find(({ metadata }) => metadata.name === 'api-gateway') as KubeObject
    assert.equal(mainOf(gateway).resources.requests.cpu, '1')
    assert.match(read('docs/scaling.md'), /^\| gateway, one core \|/m)
  })

  test("KEDA scales push and stats by their consumers' metric", () => {
    assert.match(example('keda.yaml'), /parley_consumer_lag_messages\{service="push", /)
    assert.match(example('keda.yaml'), /parley_consumer_lag_messages\{service="stats", /)
    for (const file of ['push/src/push-metrics.ts', 'stats/src/start-stats.ts'])
      assert.match(read(`services/${file}`), /'parley_consumer_lag_messages'/)
  })

  test('an update adds a quarter of the realtime nodes at a time, or all at once in the base for small fleets', () => {
    const strategyOf = (all: KubeObject[], name: string) =>
      all.find(({ metadata }) => metadata.name === name)?.spec['strategy']
    const surge = (maxSurge: string | number) => ({ rollingUpdate: { maxUnavailable: 0, maxSurge } })
    assert.deepEqual(strategyOf(production('Deployment'), 'realtime'), surge('25%'))
    assert.deepEqual(strategyOf(deployments, 'realtime'), surge('100%'))
    const pauses = new Map(
      deployments.map((deployment) => [deployment.metadata.name, mainOf(deployment).lifecycle?.preStop.sleep.seconds]),
    )
    assert.ok(Number(pauses.get('realtime')) > Number(pauses.get('api-gateway')))
    for (const name of ['api-gateway', 'push', 'stats']) assert.deepEqual(strategyOf(deployments, name), surge(1))
  })

  test('in production every event is on three disks before it is acknowledged', () => {
    const { config } = parse(example('nats-values.yaml')) as {
      config: { cluster: { replicas: number }; jetstream: { merge: { sync_interval: string } } }
    }
    assert.equal(config.jetstream.merge.sync_interval, 'always')
    const { settings } = parse(example('production.yaml')) as { settings: Record<string, unknown> }
    assert.equal(settings['PARLEY_STREAM_REPLICAS'], config.cluster.replicas)
  })

  test('production runs three MongoDB members of the same version as compose', () => {
    const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: { mongo: { image: string } } }
    const [, release = 'none'] = compose.services.mongo.image.split(':')
    const mongo = specOf(objectsIn('helm/examples/mongodb.yaml')[0]) as {
      version: string
      members: number
    }
    assert.equal(mongo.version, release)
    assert.equal(mongo.members, 3)
  })
})

describe('.github/workflows/release.yml', () => {
  test('builds the image for two architectures, on its base by digest, with SBOM and provenance', () => {
    const { jobs } = parse(read('.github/workflows/release.yml')) as {
      jobs: { image: { steps: { uses?: string; with?: Record<string, unknown> }[] } }
    }
    const build = jobs.image.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))?.with ?? {}
    assert.equal(build['platforms'], 'linux/amd64,linux/arm64')
    assert.equal(build['sbom'], true)
    assert.equal(build['provenance'], 'mode=max')
    assert.match(String(build['build-args']), /^BASE=.*@\$\{\{ steps\.base\.outputs\.digest \}\}$/m)
    assert.equal(build['file'], 'deploy/Dockerfile')
  })
})
