import assert from 'node:assert/strict'
import { allOperations } from '@parley/contracts/operations/all'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

const origin = 'https://app.example'
const requestHeaders = [
  'content-type',
  'im-api-key',
  'im-client-key',
  'im-authorization',
  'im-client-id',
  'im-device-id',
  'idempotency-key',
  'x-request-id',
  'traceparent',
]

describe('browser apps on any origin may call the API', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
  })
  afterAll(() => gateway.stop())

  const list = (text: string | null) => (text ?? '').toLowerCase().split(/, ?/)

  function isReadable({ headers }: { headers: Headers }, what: string) {
    assert.equal(headers.get('access-control-allow-origin'), '*', what)
    const exposed = list(headers.get('access-control-expose-headers'))
    for (const name of ['x-request-id', 'retry-after', 'parley-ignored'])
      assert.ok(exposed.includes(name), `${what}: ${name}`)
  }

  const preflight = (path: string, method: string) =>
    fetch(gateway.url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': requestHeaders.join(','),
      },
    })

  for (const { method, path, access } of allOperations) {
    test(`${method} ${path} from another origin passes its preflight, and its errors are readable`, async () => {
      const url = path.replaceAll(/:\w+/g, 'x')
      const allowed = await preflight(url, method)
      assert.equal(allowed.status, 204)
      assert.equal(allowed.headers.get('access-control-allow-origin'), '*')
      assert.ok(allowed.headers.get('access-control-allow-methods')?.split(', ').includes(method))
      const names = list(allowed.headers.get('access-control-allow-headers'))
      assert.deepEqual(
        requestHeaders.filter((name) => !names.includes(name)),
        [],
      )
      const refused = await gateway.anonymous(method, url, method === 'GET' ? undefined : {}, { origin })
      if (access !== 'anyone') assert.equal(refused.status, 401)
      isReadable(refused, `401 of ${path}`)
    })
  }

  test('a response and every kind of error are readable', async () => {
    const call = (path: string, body?: unknown) =>
      alice.call(body === undefined ? 'GET' : 'POST', path, body, { origin })
    isReadable(await call('/me/badge'), '200')
    isReadable(await call('/rooms/none'), '404 of a room')
    isReadable(await call('/no/such/path'), '404')
    isReadable(await call('/me/badge', {}), '405')
    isReadable(await call('/config/%zz'), '400 of a path')
    isReadable(await call('/search', '{'), '400 of a body')
    isReadable(await call('/search', `"${'x'.repeat(1_048_576)}"`), '413')
    isReadable(await alice.call('POST', '/search', 'x', { origin, 'content-type': 'a/b' }), '415')
    isReadable(await fetch(`${gateway.url}/me?${'x'.repeat(26_000)}`, { headers: { origin } }), '414')
  })

  test('429 is readable, with Retry-After', async () => {
    let count = 0
    const counts = { hit: () => ({ count: ++count, leftMS: 5_000 }) }
    const limited = await gateway.another({
      rateLimits: { counts, perApiKey: 1, perUser: 1, perApp: 1, failedLoginsPerAddress: 1 },
    })
    await limited.admin('GET', '/config', undefined, { origin })
    const answer = await limited.admin('GET', '/config', undefined, { origin })
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '5'])
    isReadable(answer, '429')
    await limited.stop()
  })

  test('preflights of unknown paths and OPTIONS without an origin get a response', async () => {
    assert.equal((await preflight('/no/such/path', 'PUT')).status, 204)
    assert.equal((await fetch(`${gateway.url}/messages`, { method: 'OPTIONS' })).status, 204)
  })
})
