import assert from 'node:assert/strict'
import { allOperations } from '@parley/contracts/operations/all'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import { deployments, type KubeObject, mainOf, objects, ofKind, read } from './k8s-objects.ts'

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
/** Ports of Parley's containers, by their names. */
const named = new Set(deployments.flatMap((deployment) => mainOf(deployment).ports?.map(({ name }) => name) ?? []))
const productionFile = (name: string) => read(`deploy/k8s/overlays/production/${name}`)

describe('deploy/k8s: what goes beside the services', () => {
  const { rules } = specOf(ofKind('HTTPRoute')[0]) as { rules: RouteRule[] }
  const routes = rules.flatMap(({ backendRefs }) => backendRefs)
  /** How long the HTTPRoute lets a request to this path of a rule last. */
  const requestTimeoutOf = (value: string) =>
    rules.find(({ matches }) => matches.some(({ path }) => path.value === value))?.timeouts.request
  const pathsOf = (ingress: KubeObject) =>
    (specOf(ingress) as { rules: { http: { paths: IngressPath[] } }[] }).rules.flatMap(({ http }) => http.paths)
  const paths = ofKind('Ingress').flatMap(pathsOf)

  test('the HTTPRoute and the Ingress lead to Services and ports that are there: sockets to realtime, the rest to gateways', () => {
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

  test('the headers that gateways send pass every Ingress', () => {
    const sizes = ofKind('Ingress').map(
      ({ metadata }) => metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-buffer-size'],
    )
    assert.deepEqual(new Set(sizes), new Set(['32k']))
  })

  test('files as large as the gateways take by default pass, for as long as they take', () => {
    const files = ofKind('Ingress').find((ingress) => ingress.metadata.name === 'parley-files')
    const annotations = files?.metadata.annotations ?? {}
    const [, gibibytes] = /^(\d+)g$/.exec(annotations['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '') ?? []
    const [, most] = /PARLEY_GATEWAY_FILE_MAX_BYTES` \| `(\d+)`/.exec(read('docs/settings.md')) ?? []
    assert.ok(Number(gibibytes) * 1024 ** 3 > Number(most), `${gibibytes} GiB`)
    assert.equal(requestTimeoutOf('/files/'), '0s')
  })

  test('a stream of events lasts until its reader closes it', () => {
    const streams = allOperations.filter(({ eventStream }) => eventStream)
    assert.ok(streams.length > 0)
    for (const { path } of streams) assert.equal(requestTimeoutOf(path), '0s', path)
  })

  test('overlays/production names what its components need of a cluster', () => {
    const readme = productionFile('README.md')
    const labels = JSON.stringify(ofKind('NetworkPolicy')).match(/parley\.dev\/\w+/g) ?? []
    assert.ok(labels.length > 0)
    for (const label of labels) assert.ok(readme.includes(`${label}=true`), label)
    for (const group of ['gateway.networking.k8s.io', 'monitoring.coreos.com']) assert.ok(readme.includes(group), group)
  })

  test('addresses with a token, signature or session are in no access log of the Ingress', () => {
    const silent = ofKind('Ingress')
      .filter(({ metadata }) => metadata.annotations?.['nginx.ingress.kubernetes.io/enable-access-log'] === 'false')
      .flatMap(pathsOf)
      .map(({ path }) => path)
    assert.deepEqual(silent.toSorted(), ['/chat', '/chat/', '/files/', '/socket.io/'])
  })

  test('Prometheus scrapes a port that every pod has, under the job that the alerts name', () => {
    const monitor = specOf(ofKind('PodMonitor')[0]) as {
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
    assert.match(read('deploy/prometheus/alerts.yml'), /up\{job="parley"\}/)
  })

  test('the network policies open ports that are there, and those of every server that a setting may name', () => {
    const policies = ofKind('NetworkPolicy').map(
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

  test('a workload scaled by its share of requested CPU requests some', () => {
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      const { name } = spec['scaleTargetRef'] as { name: string }
      const target = deployments.find(({ metadata }) => metadata.name === name)
      assert.ok(target, name)
      assert.match(mainOf(target).resources.requests.cpu, /^\d+m?$/)
    }
  })

  test('an update starts all realtime nodes before an old one goes, and lets the old ones go together', () => {
    const { spec } = deployments.find(({ metadata }) => metadata.name === 'realtime') as KubeObject
    assert.deepEqual(spec['strategy'], { rollingUpdate: { maxUnavailable: 0, maxSurge: '100%' } })
    const pauses = new Map(
      deployments.map((deployment) => [deployment.metadata.name, mainOf(deployment).lifecycle?.preStop.sleep.seconds]),
    )
    assert.ok(Number(pauses.get('realtime')) > Number(pauses.get('api-gateway')))
    for (const deployment of deployments.filter(({ metadata }) => metadata.name !== 'realtime')) {
      assert.deepEqual(deployment.spec['strategy'], { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
    }
  })

  test('in production every event is on three disks before it is acknowledged', () => {
    const { config } = parse(productionFile('nats-values.yaml')) as {
      config: { cluster: { replicas: number }; jetstream: { merge: { sync_interval: string } } }
    }
    assert.equal(config.jetstream.merge.sync_interval, 'always')
    const settings = ofKind('ConfigMap').find(({ file }) => file.includes('production'))?.data ?? {}
    assert.equal(Number(settings['PARLEY_STREAM_REPLICAS']), config.cluster.replicas)
  })

  test('in production MongoDB is of the version of compose, with three members', () => {
    const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: { mongo: { image: string } } }
    const [, release = 'none'] = compose.services.mongo.image.split(':')
    const mongo = specOf(objects.find(({ kind }) => kind === 'MongoDBCommunity')) as {
      version: string
      members: number
    }
    assert.equal(mongo.version, release)
    assert.equal(mongo.members, 3)
  })
})

describe('.github/workflows/release.yml', () => {
  test('makes the image for two architectures, on its base by digest, with SBOM and provenance', () => {
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
