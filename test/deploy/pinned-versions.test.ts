import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')

/** The oldest versions allowed in manifests. */
const floors = parse(readFileSync(join(root, 'deploy/versions.yml'), 'utf8')) as Record<
  'mongo' | 'redis' | 'nats',
  { floor: string; why: string }
>

const files = ['.', 'deploy', '.github']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.ya?ml$/.test(name) && name !== 'pnpm-lock.yaml')
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))

describe('versions of servers', () => {
  const serversIn = (name: string, text: string) => [
    ...[...text.matchAll(/image: ["']?(?:[\w.:-]+\/)*(mongo|redis|nats)(?![\w-])(?::([^\s"'@,}]+))?/g)].map(
      ([, server, version]) => ({ name, server, version }),
    ),
    ...[...text.matchAll(/kind: MongoDBCommunity[^]*?\n {2}version: (\S+)/g)].map(([, version]) => {
      return { name, server: 'mongo', version }
    }),
  ]
  const named = files.flatMap(({ name, text }) => serversIn(name, text))

  test.each([
    ['image: mongo:8.0.24', 'mongo', '8.0.24'],
    ['image: "docker.io/library/mongo:7.0.1"', 'mongo', '7.0.1'],
    ['{ image: registry.example:5000/redis:8, x: 1 }', 'redis', '8'],
    ['{image: nats:2.15.1-alpine}', 'nats', '2.15.1-alpine'],
    ['image: nats@sha256:00', 'nats', undefined],
  ])('are found in %s', (text, server, version) => {
    assert.deepEqual(serversIn('x', text), [{ name: 'x', server, version }])
    assert.deepEqual(serversIn('x', 'image: natsio/nats-box:0.14'), [])
  })

  test('docker-compose.yml and the manifests name each server', () => {
    for (const [server, { why }] of Object.entries(floors)) {
      assert.ok(why.length > 20, server)
      const places = named.filter((one) => one.server === server).map(({ name }) => name)
      assert.ok(places.includes('docker-compose.yml'), server)
      assert.ok(
        places.some((place) => place.startsWith('deploy/k8s/')),
        server,
      )
    }
  })

  test.each(named)('$name: $server $version is a full version of the floor’s release, and not older', (one) => {
    const floor = floors[one.server as keyof typeof floors].floor.split('.').map(Number)
    const version = /^(\d+)\.(\d+)\.(\d+)(-|$)/
      .exec(one.version ?? '')
      ?.slice(1, 4)
      .map(Number)
    assert.ok(version, 'an immutable patch version')
    assert.deepEqual(version.slice(0, 2), floor.slice(0, 2))
    assert.ok((version[2] ?? 0) >= (floor[2] ?? 0), `older than ${floor.join('.')}`)
  })
})

describe('.github/workflows/versions.yml', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/versions.yml'), 'utf8')) as {
    jobs: {
      suite: {
        strategy: { matrix: { include: { images?: string }[] } }
        env: Record<string, string>
        steps: { run?: string }[]
      }
    }
  }
  const { strategy, env, steps } = jobs.suite

  test('runs the suite on other images without a change of a file that the suite checks', () => {
    for (const { run = '' } of steps) assert.doesNotMatch(run, /sed|>|tee/)
    assert.equal(env['PARLEY_SERVERS_IMAGES'], '${{ matrix.images }}')
    const rows = strategy.matrix.include.map(({ images = '' }) => images)
    assert.ok(rows.includes(''), 'as deployed')
    const named = rows.flatMap((images) => images.split(',').flatMap((pair) => (pair ? [pair] : [])))
    for (const pair of named) assert.match(pair, /^(mongo|nats|redis)=[\w/-]+:[\w.-]+$/)
    assert.ok(named.some((pair) => pair.startsWith('mongo=')))
  })
})

describe('code fetched by a build', () => {
  const actions = files.flatMap(({ name, text }) =>
    [...text.matchAll(/^\s*(?:- )?uses: (?!\.)(\S+)(.*)/gm)].map(([, action = '', comment = '']) => ({
      name,
      action,
      comment,
    })),
  )
  assert.ok(actions.length > 0)

  test.each(actions)('$name: $action is pinned by commit hash, with its version in a comment', (one) => {
    assert.match(one.action, /^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/)
    assert.match(one.comment, /^ # v\d+\.\d+\.\d+$/)
  })

  test('deploy/Dockerfile unpacks no package without checking its hash', () => {
    const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
    const packed = dockerfile.indexOf('npm pack')
    const [compared, unpacked] = [dockerfile.indexOf('sha512', packed), dockerfile.indexOf('tar -xzf', packed)]
    assert.ok(packed > 0 && compared > packed && unpacked > compared)
    assert.match(dockerfile, /"\$hash" != "\$UWS_ARM64_INTEGRITY"[^]*exit 1/)
  })
})
