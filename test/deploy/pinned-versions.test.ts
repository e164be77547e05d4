import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The oldest versions without published holes that concern Parley. Raise one when a later patch closes another. */
const floors = {
  // CVE-2025-14847 (memory read without a login, 8.0.17), CVE-2026-8053 (code execution by time series, 8.0.23),
  // CVE-2026-9740 (crash without a login, 8.0.24).
  mongo: '8.0.24',
  // CVE-2025-49844 (code execution by Lua, 8.2.2), CVE-2025-62507 (stack overflow by XACKDEL, 8.2.3).
  redis: '8.2.3',
  // The version that the tests run (packages/stack/servers.requirements.txt).
  nats: '2.15.1',
} as const

const files = ['.', 'deploy', '.github']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.ya?ml$/.test(name) && name !== 'pnpm-lock.yaml')
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))

describe('versions of servers', () => {
  const named = files.flatMap(({ name, text }) => [
    ...[...text.matchAll(/image: (mongo|redis|nats):(\S+)/g)].map(([, server, version]) => ({ name, server, version })),
    ...[...text.matchAll(/kind: MongoDBCommunity[^]*?\n {2}version: (\S+)/g)].map(([, version]) => {
      return { name, server: 'mongo', version }
    }),
  ])

  test('each server stands in docker-compose.yml and in a manifest', () => {
    for (const server of Object.keys(floors)) {
      const places = named.filter((one) => one.server === server).map(({ name }) => name)
      assert.ok(places.includes('docker-compose.yml'), server)
      assert.ok(
        places.some((place) => place.startsWith('deploy/k8s/')),
        server,
      )
    }
  })

  test.each(named)(
    '$name: $server $version is a whole version of the same release, and no older than its floor',
    (one) => {
      const floor = floors[one.server as keyof typeof floors].split('.').map(Number)
      const version = /^(\d+)\.(\d+)\.(\d+)(-|$)/
        .exec(one.version ?? '')
        ?.slice(1, 4)
        .map(Number)
      assert.ok(version, 'a patch version, which does not move')
      assert.deepEqual(version.slice(0, 2), floor.slice(0, 2))
      assert.ok((version[2] ?? 0) >= (floor[2] ?? 0), `older than ${floor.join('.')}`)
    },
  )
})

describe('code that a build fetches', () => {
  const actions = files.flatMap(({ name, text }) =>
    [...text.matchAll(/^\s*(?:- )?uses: (?!\.)(\S+)(.*)/gm)].map(([, action = '', comment = '']) => ({
      name,
      action,
      comment,
    })),
  )
  assert.ok(actions.length > 0)

  test.each(actions)('$name: $action is pinned by the digest of its commit, with its version beside it', (one) => {
    assert.match(one.action, /^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/)
    assert.match(one.comment, /^ # v\d+\.\d+\.\d+$/)
  })

  test('deploy/Dockerfile unpacks no package that it has not compared with a hash', () => {
    const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
    const packed = dockerfile.indexOf('npm pack')
    const [compared, unpacked] = [dockerfile.indexOf('sha512', packed), dockerfile.indexOf('tar -xzf', packed)]
    assert.ok(packed > 0 && compared > packed && unpacked > compared)
    assert.match(dockerfile, /"\$hash" != "\$UWS_ARM64_INTEGRITY"[^]*exit 1/)
  })
})
