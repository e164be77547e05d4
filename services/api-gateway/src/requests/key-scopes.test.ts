import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { addApiKey, type NewKey } from '@parley/chat/access/api-keys'
import { allOperations } from '@parley/contracts/operations/all'
import { keyScopes, scopes } from '@parley/contracts/scopes'
import { digest, insertApp } from '@parley/db/apps/apps'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { newOperator } from '../console/test-operator.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

const forKeys = allOperations.filter(({ scope }) => scope !== undefined)

describe('scopes, expiry, networks and rate of API keys', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  const newKey = async (rights: Partial<NewKey>) =>
    (await addApiKey(gateway.chat, gateway.app, { name: randomUUID(), scopes: ['all'], ...rights })).apiKey
  const as = (apiKey: string) => (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    gateway.anonymous(method, path, body, { 'im-api-key': apiKey })

  test('every scope opens an operation, except one reserved for a future operation', () => {
    const named = new Set(forKeys.map(({ scope }) => scope))
    assert.deepEqual(
      scopes.filter((scope) => !named.has(scope)),
      ['stats:write'],
    )
  })

  for (const scope of keyScopes) {
    test(`a key with only ${scope} gets 403 PERMISSION_DENIED elsewhere, naming the missing scope`, async () => {
      const call = as(await newKey({ scopes: [scope] }))
      for (const { method, path, access, scope: needed = 'all', scopesByKind = {} } of forKeys) {
        const { status, text } = await call(method, path.replaceAll(/:\w+/g, 'none'), method === 'GET' ? undefined : {})
        const lacking = [
          ...(['all', needed, ...Object.values(scopesByKind).flat()].includes(scope) ? [] : [needed]),
          ...(access === 'platform' && scope !== 'platform' ? ['platform'] : []),
        ]
        const isDenied = status === 403 && text.includes('PERMISSION_DENIED')
        assert.equal(isDenied, lacking.length > 0, `${method} ${path}: ${text}`)
        if (isDenied) assert.ok(text.includes(`lacks the scope ${lacking.join(' and ')}`), text)
      }
    })
  }

  test('a key needs the scope also if it depends on the input', async () => {
    const { id: sender } = await gateway.newUser()
    const reporter = await gateway.newUser()
    const room = await gateway.newRoom([await gateway.newUser(), reporter], {})
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [sender] })
    const message = { room, sender, message: 'rude', messageType: 'text' }
    const { _id } = (await gateway.admin('POST', '/messages', message)).body.result
    await reporter.call('POST', `/messages/${_id}/report`, { reason: 'rude' })
    const [{ id }] = (await gateway.admin('GET', `/admin/reports?room=${room}`)).body.result.data
    const decide = async (scopes: NewKey['scopes'], decision: string) =>
      as(await newKey({ scopes }))('POST', `/admin/reports/${id}/decide`, { decision })
    for (const [decision, scope] of [
      ['delete', 'messages:write'],
      ['erase', 'users:write'],
    ] as const) {
      const { status, body } = await decide(['moderation:write', 'moderation:read'], decision)
      assert.deepEqual([status, body.error?.code], [403, 'PERMISSION_DENIED'], decision)
      assert.match(body.error.message, new RegExp(`lacks the scope ${scope}`))
    }
    assert.equal((await gateway.admin('GET', `/admin/clients/${sender}`)).status, 200)
    assert.equal((await decide(['moderation:write', 'messages:write'], 'delete')).status, 200)

    const config = as(await newKey({ scopes: ['config:read', 'config:write'] }))
    for (const [method, path, body] of [
      ['POST', '/config', { tokenIssuers: [] }],
      ['DELETE', '/config/tokenIssuers'],
    ] as const) {
      const { status, text } = await config(method, path, body)
      assert.equal(status, 403, text)
      assert.match(text, /lacks the scope users:write/)
    }
  })

  test('the API adds keys, lists them without their secrets, and revokes them at once', async () => {
    const added = await gateway.admin('POST', '/admin/keys', { name: 'console', scopes: ['keys:read', 'users:read'] })
    const { apiKey, id } = added.body.result
    const { body, text } = await as(apiKey)('GET', '/admin/keys')
    assert.ok(!text.includes(apiKey))
    assert.deepEqual(body.result.data.find((key: { name: string }) => key.name === 'console').scopes, [
      'keys:read',
      'users:read',
    ])
    assert.equal((await gateway.admin('POST', '/admin/keys', { name: 'console' })).body.error.code, 'CONFLICT')
    assert.equal((await gateway.admin('DELETE', `/admin/keys/${id}`)).status, 200)
    assert.equal((await as(apiKey)('GET', '/admin/keys')).body.error.code, 'INVALID_API_KEY')
    assert.equal((await gateway.admin('DELETE', `/admin/keys/${id}`)).body.error.code, 'API_KEY_NOT_FOUND')
    const ended = (await gateway.admin('GET', '/admin/keys?ended=true')).body.result.data
    assert.ok(ended.find((key: { name: string }) => key.name === 'console').revokedAt)
  })

  test('a key cannot grant more than it has: scopes, expiry, networks, rate', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000)
    const own = { expiresAt, addresses: ['127.0.0.0/8', '::/0'], ratePerMinute: 600 }
    const call = as(await newKey({ scopes: ['keys:write', 'users:read'], ...own }))
    const later = new Date(expiresAt.getTime() + 1).toISOString()
    for (const [field, value] of [
      ['scopes', ['all']],
      ['scopes', ['platform']],
      ['scopes', ['users:read', 'users:write']],
      ['expiresAt', later],
      ['addresses', ['127.0.0.0/7']],
      ['addresses', ['10.0.0.0/8']],
      ['ratePerMinute', 601],
    ] as const) {
      const { status, body } = await call('POST', '/admin/keys', { name: randomUUID(), [field]: value })
      assert.deepEqual([status, body.error?.code], [403, 'PERMISSION_DENIED'], field)
      assert.match(body.error.message, new RegExp(field))
    }
    const inside = { name: 'inside', scopes: ['users:read'], addresses: ['127.1.0.0/16'], ratePerMinute: 5 }
    assert.equal((await call('POST', '/admin/keys', inside)).status, 200)
    const { result } = (await call('POST', '/admin/keys', { name: 'the same' })).body
    const { scopes: scopesOfSame, expiresAt: end, addresses, ratePerMinute } = result
    assert.deepEqual([scopesOfSame, new Date(end)], [['keys:write', 'users:read'], expiresAt])
    assert.deepEqual([addresses, ratePerMinute], [own.addresses, 600])
  })

  test('an app has at most 200 active keys, also if several are added at once', async () => {
    const app = `full ${randomUUID()}`
    const [clientKey, apiKey] = [randomUUID(), randomUUID()]
    const own = { digest: digest(apiKey), permissions: [], createdAt: new Date() }
    const apiKeys = [own, ...Array.from({ length: 197 }, () => ({ ...own, digest: randomUUID() }))]
    await insertApp(gateway.chat.db, { _id: app, clientKey, apiKeys, webhookSecret: 'whsec_', createdAt: new Date() })
    const adding = Array.from({ length: 6 }, (_, i) => as(apiKey)('POST', '/admin/keys', { name: `key ${i}` }))
    const codes = (await Promise.all(adding)).map(({ body }) => String(body.error?.code ?? 'added'))
    const count = (wanted: string) => codes.filter((code) => code === wanted).length
    assert.deepEqual([count('added'), count('TOO_MANY_KEYS')], [2, 4])
    const { data } = (await as(apiKey)('GET', '/admin/keys')).body.result
    assert.equal(data.length, 200)
  })

  test('a key without a rate grants at most the default one; an operator any', async () => {
    const counts = { hit: () => ({ count: 1, leftMS: 1 }) }
    const rateLimits = { counts, perApiKey: 600, perUser: 0, perApp: 0, failedLoginsPerAddress: 0 }
    const limited = await gateway.another({ rateLimits })
    onTestFinished(() => limited.stop())
    const owner = await newOperator(limited, [{ app: gateway.app, role: 'owner' }])
    for (const [call, ratePerMinute, expected] of [
      [limited.admin, 601, 403],
      [limited.admin, 600, 200],
      [limited.admin, undefined, 200],
      [owner.call, 601, 200],
    ] as const) {
      const { status, text } = await call('POST', '/admin/keys', { name: randomUUID(), ratePerMinute })
      assert.equal(status, expected, text)
      if (status === 403) assert.match(text, /ratePerMinute: above that of the caller/)
    }
    assert.equal((await gateway.admin('POST', '/admin/keys', { name: 'any rate', ratePerMinute: 601 })).status, 200)
  })

  test("a key works only from its networks, and is otherwise refused in the operation's error form", async () => {
    const [outside, inside] = [
      await newKey({ addresses: ['10.0.0.0/8'] }),
      await newKey({ addresses: ['127.0.0.0/8'] }),
    ]
    assert.equal((await as(inside)('GET', '/admin/groups')).status, 200)
    const refused = await as(outside)('GET', '/admin/groups')
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'PERMISSION_DENIED'])
    const bare = await as(outside)('POST', '/admin/clients', {
      _id: 'x',
      nickname: 'x',
      issueAccessToken: false,
      token: 't',
    })
    assert.deepEqual([bare.status, bare.body.error], [403, 'PERMISSION_DENIED'])
  })

  test('a key expires and has its own rate limit', async () => {
    const expired = await newKey({ expiresAt: new Date(Date.now() - 1) })
    assert.equal((await as(expired)('GET', '/admin/groups')).status, 401)
    const seen: number[] = []
    const counts = { hit: (_name: string, _window: number, max: number) => (seen.push(max), { count: 1, leftMS: 1 }) }
    const rateLimits = { counts, perApiKey: 7, perUser: 1, perApp: 1, failedLoginsPerAddress: 0 }
    const limited = await gateway.another({ rateLimits })
    for (const apiKey of [gateway.apiKey, await newKey({ ratePerMinute: 3 })]) {
      await limited.anonymous('GET', '/admin/groups', undefined, { 'im-api-key': apiKey })
    }
    await limited.stop()
    assert.deepEqual(seen, [7, 3])
  })

  test('invalid rights are 400 and name the field', async () => {
    for (const [field, value, said = new RegExp(field)] of [
      ['scopes', ['everything']],
      ['scopes', []],
      ['expiresAt', 'tomorrow'],
      ['expiresAt', '2020-01-01T00:00:00Z'],
      ['expiresAt', '2099-02-30', /expiresAt: expected a date that exists, not 2099-02-30/],
      ['addresses', ['10.0.0.1']],
      ['ratePerMinute', 0],
    ] as const) {
      const { status, body } = await gateway.admin('POST', '/admin/keys', { name: 'x', [field]: value })
      assert.equal(status, 400, field)
      assert.match(body.error.message, said)
    }
    const { body } = await gateway.admin('POST', '/admin/keys', { name: 'until', expiresAt: '2999-01-01' })
    assert.equal(body.result.expiresAt, '2999-01-01T00:00:00.000Z')
  })

  test('behind a trusted proxy, networks apply to the address that it adds, which the audit log records without its port', async () => {
    const behind = await gateway.another({ trustedProxies: 1 })
    onTestFinished(() => behind.stop())
    const key = await newKey({ addresses: ['192.0.2.0/24', '2001:db8::/32'] })
    const rename = (apiKey: string, from: string) =>
      behind.anonymous('POST', '/config', { from: randomUUID() }, { 'im-api-key': apiKey, 'x-forwarded-for': from })
    const lastAddress = async () =>
      (await gateway.admin('GET', '/admin/audit?action=setConfig&limit=1')).body.result.data[0].address
    for (const [from, address] of [
      ['192.0.2.7', '192.0.2.7'],
      ['203.0.113.9, 192.0.2.8', '192.0.2.8'],
      ['192.0.2.9:50123', '192.0.2.9'],
      ['[2001:db8::5]:443', '2001:db8::5'],
    ] as const) {
      assert.equal((await rename(key, from)).status, 200, from)
      assert.equal(await lastAddress(), address)
    }
    for (const from of ['192.0.2.7, 203.0.113.9', 'unknown', '', '192.0.2.7 203.0.113.9'])
      assert.equal((await rename(key, from)).status, 403, from)
    assert.equal((await rename(gateway.apiKey, `<b>${'x'.repeat(4_000)}`)).status, 200)
    assert.equal(await lastAddress(), 'unknown')
  })
})
