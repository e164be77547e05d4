import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, test } from 'vitest'
import { parse } from 'yaml'
import { wrongVariables } from './known-settings.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Service {
  image: string
  build?: object
  pull_policy?: string
  cap_drop?: string[]
  read_only?: boolean
  security_opt?: string[]
  networks?: string[]
  network_mode?: string
  environment?: Record<string, string>
  secrets?: string[]
  restart?: string
  deploy?: { resources: { limits: { memory: string; cpus: string } } }
}
interface Compose {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose
const services = Object.entries(compose.services)
const servers = ['mongo', 'nats', 'redis']

describe('docker-compose.yml', () => {
  for (const [name, service] of services) {
    test(`${name} has no privileges, a read-only root and resource limits`, () => {
      assert.deepEqual(service.cap_drop, ['ALL'])
      assert.equal(service.read_only, true)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
      assert.ok(service.deploy?.resources.limits.memory && service.deploy.resources.limits.cpus)
    })

    test(`${name} gets only existing settings, and secrets only as mounted files`, () => {
      const environment = service.environment ?? {}
      assert.deepEqual(wrongVariables(environment), [])
      for (const value of Object.values(environment)) {
        if (!value.startsWith('/run/secrets/')) continue
        assert.ok(service.secrets?.includes(basename(value)), `${value} is mounted`)
      }
    })
  }

  test('locally built images are never pulled', () => {
    for (const [name, { image, build, pull_policy }] of services) {
      if (image === 'parley' && !build) assert.equal(pull_policy, 'never', name)
    }
  })

  test('the front shares no network with MongoDB, NATS and Redis', () => {
    const front = compose.services['front']?.networks ?? []
    for (const name of servers) {
      const shared = compose.services[name]?.networks?.filter((network) => front.includes(network))
      assert.deepEqual(shared, [], name)
    }
  })

  test('deploy/make-secrets creates every secret once, unreadable to others', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'parley-secrets-')), 'made')
    try {
      const make = () => execFileSync(join(root, 'deploy/make-secrets'), [folder])
      const content = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
      make()
      const first = content()
      for (const { file } of Object.values(compose.secrets)) assert.ok(existsSync(join(folder, basename(file))), file)
      assert.ok(first.every((text) => /[0-9a-f]{48}/.test(text)))
      const random = first.flatMap((text) => text.match(/^[0-9a-f]{48}\n$/) ?? [])
      assert.equal(new Set(random).size, random.length, 'no two are the same')
      make()
      assert.deepEqual(content(), first)
    } finally {
      rmSync(join(folder, '..'), { recursive: true, force: true })
    }
  })

  test('nginx logs no query, which contains a token for /chat, and skips a replica that does not respond', () => {
    const nginx = read('deploy/nginx.conf')
    const [, format = ''] = /log_format without_queries ([^;]*);/.exec(nginx) ?? []
    assert.match(format, /\$uri/)
    assert.doesNotMatch(format, /\$request\b(?!_)|\$request_uri|\$args|\$query_string|\$http_referer/)
    assert.match(nginx, /access_log \S+ without_queries;/)
    assert.match(nginx, /proxy_connect_timeout 1s;/)
    const upstreams = [...nginx.matchAll(/^ +server \S+:\d+ (.*);$/gm)].map(([, options]) => options)
    assert.deepEqual(upstreams, ['resolve max_fails=0', 'resolve max_fails=0'], 'a failed connection takes none out')
  })

  for (const path of ['deploy/nginx.conf', 'deploy/k8s/overlays/try/nginx.conf']) {
    test(`${path} forwards the headers that gateways accept and send`, () => {
      const nginx = read(path)
      const kib = (directive: string) =>
        Number(new RegExp(`^\\s+${directive} (?:\\d+ )?(\\d+)k;$`, 'm').exec(nginx)?.[1])
      const gateway = read('services/api-gateway/src/limits/connections.ts')
      const [, taken] = /maxHeaderSize = (\d+) \* 1024/.exec(gateway) ?? []
      assert.ok(kib('large_client_header_buffers') >= Number(taken))
      // nginx refuses to start otherwise.
      const [first, one, busy] = ['proxy_buffer_size', 'proxy_buffers', 'proxy_busy_buffers_size'].map(kib)
      assert.deepEqual([first, one, busy], [32, 32, 64])
    })
  }
})

describe('the image', () => {
  const dockerfile = read('deploy/Dockerfile')

  test('runs as a numeric non-root user, on a base of exactly the version that the tests use', () => {
    assert.equal(dockerfile.match(/^USER .*/gm)?.at(-1), 'USER 1000:1000')
    const [, node] = /^ARG BASE=node:(\d+\.\d+\.\d+)-trixie-slim$/m.exec(dockerfile) ?? []
    const ci = parse(read('.github/workflows/ci.yml')) as {
      jobs: Record<string, { steps: { uses?: string; with?: object }[] }>
    }
    const setup = ci.jobs['node-of-the-image']?.steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))
    assert.deepEqual(setup?.with, { 'node-version': node })
  })

  test('includes the uWebSockets.js binary that the lockfile lacks, for its package and Node version', () => {
    const { dependencies } = JSON.parse(read('packages/socketio/package.json')) as {
      dependencies: Record<string, string>
    }
    const [, name = ''] = /&& uws=(\S+) /.exec(dockerfile) ?? []
    assert.match(dependencies[name] ?? '', /^npm:@uwsjs\/core@\d/)
    assert.match(read('packages/socketio/src/uws.ts'), new RegExp(`'${name}'`))
  })

  test('has the pages and the console from a separate build stage', () => {
    for (const name of ['chat-page', 'docs-site', 'console']) {
      assert.ok(dockerfile.includes(`node packages/${name}/build/main.ts `), name)
      assert.ok(dockerfile.includes(`\nCOPY --from=built /parley/packages/${name}/dist packages/${name}/dist\n`), name)
    }
  })

  test('has enough threads for lookups at unresponsive name servers', () => {
    assert.match(dockerfile, /^ENV .*\bUV_THREADPOOL_SIZE=64$/m)
  })

  test('has a health check and an entry point that need no shell', () => {
    assert.match(dockerfile, /HEALTHCHECK [^]*?CMD \["node"/)
    assert.match(dockerfile, /^ENTRYPOINT \["node", "--enable-source-maps"\]$/m)
  })
})
