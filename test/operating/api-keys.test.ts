import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

const run = promisify(execFile)

/** The tests keep using revoked keys, which would hit the limit of failed logins. */
const unlimitedLogins = { PARLEY_GATEWAY_FAILED_LOGINS_PER_ADDRESS: '0' }

describe('parley key and parley operator', () => {
  let platform: Platform
  let gateways: RunningService[]
  beforeAll(async () => {
    platform = await startPlatform()
    gateways = await Promise.all([
      platform.start('api-gateway', unlimitedLogins),
      platform.start('api-gateway', unlimitedLogins),
    ])
  })
  afterAll(() => platform.stop())

  async function parley(...args: string[]): Promise<{ code: number; out: string }> {
    const env = { ...commandEnv, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    try {
      const { stdout, stderr } = await run(process.execPath, [parleyFile, ...args], { env })
      return { code: 0, out: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, out: stdout + stderr }
    }
  }
  const statuses = (apiKey: string, path = '/admin/groups') =>
    Promise.all(gateways.map(async ({ url }) => (await call(url, 'GET', path, { 'im-api-key': apiKey })).status))
  const listed = async (...more: string[]) =>
    JSON.parse((await parley('key', 'list', platform.app, '--json', ...more)).out) as Record<string, unknown>[]
  const named = async (name: string) => (await listed()).find((key) => key['name'] === name)

  test('a new key works at once, and a revoked key works on no gateway once the command has returned', async () => {
    const { code, out } = await parley('key', 'add', platform.app, '--name', 'billing server')
    assert.equal(code, 0, out)
    const apiKey = /ak_[\w-]+/.exec(out)?.[0] ?? ''
    assert.deepEqual(await statuses(apiKey), [200, 200])
    assert.deepEqual(await statuses(apiKey, '/admin/connection-count'), [403, 403])
    assert.equal((await parley('key', 'add', platform.app, '--name', 'billing server')).code, 1)
    await eventually('its use is noted', async () => (await named('billing server'))?.['lastUsedAt'] !== undefined)

    // Keep using the key while it is revoked, so that both gateways cache it.
    const revoking = new AbortController()
    const using = (async () => {
      while (!revoking.signal.aborted) await statuses(apiKey)
    })()
    assert.equal((await parley('key', 'revoke', platform.app, 'billing server')).code, 0)
    revoking.abort()
    await using
    assert.deepEqual(await statuses(apiKey), [401, 401])
    assert.equal(await named('billing server'), undefined)
    const gone = (await listed('--all')).find(({ name }) => name === 'billing server')
    assert.equal(typeof gone?.['revokedAt'], 'string')
    assert.deepEqual(await statuses(platform.apiKey), [200, 200])
    assert.equal((await parley('key', 'revoke', platform.app, 'billing server')).code, 1)
  })

  test('--platform grants the platform permission; lists hide keys; a key without a name is revoked by ID', async () => {
    const apiKey =
      /ak_[\w-]+/.exec((await parley('key', 'add', platform.app, '--name', 'ops', '--platform')).out)?.[0] ?? ''
    assert.deepEqual(await statuses(apiKey, '/admin/connection-count'), [200, 200])
    for (const list of [await parley('key', 'list', platform.app), await parley('app', 'list')]) {
      assert.equal(list.code, 0)
      assert.ok(!list.out.includes(apiKey) && !list.out.includes(platform.apiKey))
    }
    const unnamed = (await listed()).find(({ name, scopes }) => name === '' && String(scopes) === 'all')
    assert.equal((await parley('key', 'revoke', platform.app, String(unnamed?.['id']))).code, 0)
    assert.deepEqual(await statuses(platform.basicKey), [401, 401])
  })

  test('--scopes limits the key; expiry, networks and rate are set and listed', async () => {
    const rights = ['--scopes', 'users:read,messages:read', '--expires', '2099-01-01T00:00:00Z', '--rate', '600']
    const { out } = await parley(
      'key',
      'add',
      platform.app,
      '--name',
      'narrow',
      ...rights,
      '--addresses',
      '127.0.0.0/8',
    )
    const apiKey = /ak_[\w-]+/.exec(out)?.[0] ?? ''
    assert.deepEqual(await statuses(apiKey), [200, 200])
    assert.deepEqual(await statuses(apiKey, '/admin/reports'), [403, 403])
    const { scopes, expiresAt, addresses, ratePerMinute } = (await named('narrow')) ?? {}
    assert.deepEqual(
      [scopes, expiresAt, addresses, ratePerMinute],
      [['users:read', 'messages:read'], '2099-01-01T00:00:00.000Z', ['127.0.0.0/8'], 600],
    )
  })

  test('parley operator adds, lists, resets and removes operators, whose links and sessions work on every gateway', async () => {
    const email = 'olivia@example.com'
    const rights = ['--role', 'support', '--app', platform.app, '--name', 'Olivia']
    const added = await parley('operator', 'add', email, ...rights, '--url', 'https://chat.example.com/')
    assert.match(added.out, /^ {2}https:\/\/chat\.example\.com\/console#link=ol_[\w-]{43}$/m, added.out)
    const enter = async ({ out }: { out: string }, gateway = gateways[0]) => {
      const token = /ol_[\w-]+/.exec(out)?.[0]
      const headers = { 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify({ token }) }
      const answer = await fetch(`${gateway?.url}/operator/link`, request)
      const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      return { status: answer.status, cookie, 'parley-app': encodeURIComponent(platform.app) }
    }
    const seen = ({ cookie, 'parley-app': app }: Awaited<ReturnType<typeof enter>>) =>
      Promise.all(
        gateways.map(async ({ url }) => (await call(url, 'GET', '/admin/rooms', { cookie, 'parley-app': app })).status),
      )
    const session = await enter(added)
    assert.deepEqual(await seen(session), [200, 200])
    assert.equal((await enter(added, gateways[1])).status, 401)
    assert.equal((await parley('operator', 'add', email)).code, 1)
    const [listed] = JSON.parse((await parley('operator', 'list', '--json')).out) as Record<string, unknown>[]
    assert.deepEqual([listed?.['email'], listed?.['roles']], [email, [{ app: platform.app, role: 'support' }]])
    assert.match(
      (await parley('operator', 'list')).out,
      /olivia@example\.com {2}Olivia {2}\[support of .*\] {2}by link only, last/,
    )
    const reset = await enter(await parley('operator', 'reset', email))
    assert.deepEqual(
      [await seen(session), await seen(reset)],
      [
        [401, 401],
        [200, 200],
      ],
    )
    assert.equal((await parley('operator', 'remove', email.toUpperCase())).code, 0)
    assert.deepEqual(await seen(reset), [401, 401])
    assert.equal((await parley('audit', 'verify', '*')).code, 0)
  })

  test('an unknown app is an error in one sentence', async () => {
    const { code, out } = await parley('key', 'list', 'none')
    assert.deepEqual([code, out.trim()], [1, 'parley: there is no app "none"'])
  })
})
