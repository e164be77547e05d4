import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { addApiKey } from '@parley/chat/access/api-keys'
import { activeTokens } from '@parley/chat/access/tokens'
import type { HookCalls } from '@parley/chat/ports'
import { digest } from '@parley/db/apps/apps'
import { markKey } from '@parley/db/users/login-marks'
import { createMetrics } from '@parley/service/metrics'
import { listenOnLoopback } from '@parley/stack/loopback'
import { createHookCalls } from '@parley/wiring/hook-calls'
import { exportJWK, exportSPKI, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'
import { startProvider } from './test-oidc-provider.ts'
import { withOtherS, withUnusedBits } from './test-signatures.ts'

const issuer = 'https://login.example'
const audience = 'chat'
const nowS = () => Math.floor(Date.now() / 1_000)
const newPair = () => generateKeyPairSync('rsa', { modulusLength: 2_048 })

describe('tokens of the app’s own login', () => {
  let gateway: TestGateway
  let calls: HookCalls & { close(): Promise<void> }
  let server: Server
  let jwksUrl: string
  const rsa = newPair()
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let pem: string
  const jwks: { keys: object[] } = { keys: [] }
  const secret = 'a secret of the company, 32 bytes or more'

  beforeAll(async () => {
    pem = await exportSPKI(rsa.publicKey)
    jwks.keys = [
      { ...(await exportJWK(rsa.publicKey)), kid: 'rsa' },
      { ...(await exportJWK(ec.publicKey)), kid: 'ec', alg: 'ES256' },
    ]
    server = createServer((_request, response) => response.end(JSON.stringify(jwks)))
    jwksUrl = `http://127.0.0.1:${await listenOnLoopback(server)}/keys`
    calls = createHookCalls({ timeoutMS: 5_000, allowPrivateTargets: 'loopback' }, createMetrics('test'))
    gateway = await startTestGateway({ hookCalls: calls })
    await setIssuers([{ issuer, audience, jwksUrl, claims: { device: 'device', name: 'profile.name' } }])
  })
  afterAll(async () => {
    await gateway.stop()
    await calls.close()
    server.close()
  })

  const setIssuers = async (tokenIssuers: unknown, at = gateway) => {
    const { status, text } = await at.admin('POST', '/config', { tokenIssuers })
    assert.equal(status, 200, text)
  }
  const newUser = async (id: string = randomUUID()) => {
    await gateway.admin('POST', '/admin/clients/list', { data: [{ _id: id, nickname: id }] })
    return id
  }
  const claims = (sub: string, more: JWTPayload = {}): JWTPayload => ({
    ...{ sub, iss: issuer, aud: audience, iat: nowS(), exp: nowS() + 600, jti: randomUUID() },
    ...more,
  })
  const sign = (
    payload: JWTPayload,
    header = { alg: 'RS256', kid: 'rsa' },
    key: KeyObject | Uint8Array = rsa.privateKey,
  ) => new SignJWT(payload).setProtectedHeader(header).sign(key)
  const as =
    (token: string, at = gateway) =>
    (method: 'GET' | 'POST' | 'DELETE', path: string) =>
      at.anonymous(method, path, undefined, { 'im-client-key': at.clientKey, 'im-authorization': token })
  const statusOf = async (token: string, at = gateway) => (await as(token, at)('GET', '/me')).status

  test('log a known user in with each kind of key: key set, public key, secret', async () => {
    const user = await newUser()
    const ofCompany = { issuer: 'company', audience, secret }
    const ofPartner = { issuer: 'partner', audience, publicKey: pem, algorithm: 'PS256' }
    const ofKeys = { issuer, audience, jwksUrl, claims: { device: 'device', name: 'profile.name' } }
    const other = await startTestGateway({ hookCalls: calls })
    onTestFinished(() => other.stop())
    await other.admin('POST', '/admin/clients/list', { data: [{ _id: user }] })
    await setIssuers([ofKeys, ofCompany, ofPartner], other)
    assert.ok(!(await other.admin('GET', '/admin/audit?action=setConfig')).text.includes(secret))
    const bytes = new TextEncoder().encode(secret)
    for (const token of [
      await sign(claims(user)),
      await sign(claims(user), { alg: 'ES256', kid: 'ec' }, ec.privateKey),
      await sign(claims(user, { iss: 'company' }), { alg: 'HS256', kid: '' }, bytes),
      await sign(claims(user, { iss: 'partner', aud: ['else', audience] }), { alg: 'PS256', kid: '' }, rsa.privateKey),
    ]) {
      const { status, body } = await as(token, other)('GET', '/me')
      assert.deepEqual([status, body.result?._id], [200, user], JSON.stringify(body))
    }
    assert.equal(
      await statusOf(await sign(claims(user, { iss: 'company' }), { alg: 'HS512', kid: '' }, bytes), other),
      401,
    )
    // The public key as a secret (RFC 8725, 2.1).
    const confused = new TextEncoder().encode(pem)
    assert.equal(
      await statusOf(await sign(claims(user, { iss: 'partner' }), { alg: 'HS256', kid: '' }, confused), other),
      401,
    )
  })

  test('are refused with 401 INVALID_TOKEN naming the claim, and leave nothing behind', async () => {
    const user = await newUser()
    const { iat: _iat, ...withoutIat } = claims(user)
    const { exp: _exp, ...withoutExp } = claims(user)
    const stranger = newPair()
    for (const [what, token, message] of [
      ['no signature', new UnsecuredJWT(claims(user)).encode(), /./],
      ['another’s signature', await sign(claims(user), undefined, stranger.privateKey), /signature/],
      ['an algorithm other than the key’s', await sign(claims(user), { alg: 'PS256', kid: 'rsa' }), /key|alg/],
      ['a key ID that is unknown', await sign(claims(user), { alg: 'RS256', kid: 'other' }), /key/],
      ['an end in the past', await sign(claims(user, { exp: nowS() - 31 })), /exp/],
      ['no end', await sign(withoutExp), /exp/],
      ['an end far away', await sign(claims(user, { exp: nowS() + 400 * 86_400 })), /exp/],
      ['no issue time', await sign(withoutIat), /iat/],
      ['an issue time to come', await sign(claims(user, { iat: nowS() + 90 })), /iat/],
      ['an issue time that no date holds', await sign(claims(user, { iat: -1e300 })), /iat/],
      ['a device too long to be revoked', await sign(claims(user, { device: 'd'.repeat(257) })), /device/],
      ['a device that is no text', await sign(claims(user, { device: 7 })), /device/],
      ['a device that is lost in paths', await sign(claims(user, { device: '..' })), /device/],
      ['a token ID too long to be revoked', await sign(claims(user, { jti: 'j'.repeat(1_001) })), /jti/],
      ['a token ID that no revocation can name', await sign({ ...claims(user), jti: 7 as never }), /jti/],
      ['an empty token ID', await sign(claims(user, { jti: '' })), /jti/],
      ['a begin to come', await sign(claims(user, { nbf: nowS() + 90 })), /nbf/],
      ['another audience', await sign(claims(user, { aud: 'shop' })), /aud/],
      ['another issuer', await sign(claims(user, { iss: 'https://evil.example' })), /./],
      ['no user', await sign(claims('', {})), /sub/],
      ['a user ID with a control character', await sign(claims('a\u0000b')), /sub/],
      ['an unknown user', await sign(claims(randomUUID())), /does not exist/],
    ] as const) {
      const { status, body } = await as(token)('GET', '/me')
      assert.deepEqual([status, body.error.code], [401, 'INVALID_TOKEN'], what)
      assert.match(body.error.message, message, what)
    }
    assert.equal(await statusOf(await sign(claims(user, { exp: nowS() - 10 }))), 200, 'clocks may differ by 30 s')
    assert.equal(await gateway.chat.db.tokens.countDocuments({ app: gateway.app, user }), 1)
  })

  test('create unknown users if the app allows it, with name and picture, and end with their issuer', async () => {
    const other = await startTestGateway({ hookCalls: calls })
    onTestFinished(() => other.stop())
    const names = { user: 'https://company.example/id', name: 'profile.name', picture: 'picture' }
    await setIssuers([{ issuer, audience, jwksUrl, createUsers: true, claims: names }], other)
    const more = { 'https://company.example/id': 'new', profile: { name: 'Nina' }, picture: 'https://x.example/n.png' }
    const token = await sign(claims('ignored', more))
    const all = await Promise.all([1, 2, 3].map(() => as(token, other)('GET', '/me')))
    for (const { body } of all) {
      const { _id, nickname, avatarUrl } = body.result
      assert.deepEqual([_id, nickname, avatarUrl], ['new', 'Nina', 'https://x.example/n.png'])
    }
    const bad = await sign(claims('x', { 'https://company.example/id': 'bad', profile: { name: 'a\nb' } }))
    assert.equal((await as(bad, other)('GET', '/me')).body.result.nickname, 'bad')

    // Removing the issuer ends tokens admitted before, also for open sockets, whose tokens are looked up again.
    const { app, chat } = other
    const held = [{ app, user: 'new', tokenDigest: digest(token) }]
    assert.equal((await activeTokens(chat, held)).size, 1)
    await setIssuers([{ issuer: 'another', audience, jwksUrl }], other)
    assert.equal(await statusOf(token, other), 401)
    assert.equal((await activeTokens(chat, held)).size, 0)
    assert.deepEqual((await other.admin('GET', '/admin/clients/new/tokens')).body.result.data, [])
    const { tokens } = (await other.admin('GET', '/admin/clients/new')).body.result
    assert.partialDeepStrictEqual(tokens, [{ isInForce: false }])

    // Adding it again does not revive them, and leaves the tokens of other issuers valid.
    const [ofAnother, unused] = [await sign(claims('new', { iss: 'another' })), await sign(claims('ignored', more))]
    assert.equal(await statusOf(ofAnother, other), 200)
    await setIssuers(
      [
        { issuer, audience, jwksUrl, claims: names },
        { issuer: 'another', audience, jwksUrl },
      ],
      other,
    )
    assert.equal(await statusOf(unused, other), 200)
    assert.deepEqual([await statusOf(token, other), await statusOf(ofAnother, other)], [401, 200])
    assert.equal((await activeTokens(chat, held)).size, 0)
  })

  test('of one app are invalid in another; keys are fetched from public addresses only', async () => {
    const other = await startTestGateway({ hookCalls: calls })
    const strict = createHookCalls({ timeoutMS: 5_000, allowPrivateTargets: false }, createMetrics('test'))
    const guarded = await startTestGateway({ hookCalls: strict })
    onTestFinished(async () => {
      await Promise.all([other.stop(), guarded.stop()])
      await strict.close()
    })
    const user = await newUser()
    const token = await sign(claims(user))
    assert.equal(await statusOf(token), 200)
    for (const at of [other, guarded]) {
      await at.admin('POST', '/admin/clients/list', { data: [{ _id: user }] })
      assert.equal(await statusOf(token, at), 401)
    }
    await setIssuers([{ issuer, audience: 'other chat', jwksUrl }], other)
    await setIssuers([{ issuer, audience, jwksUrl }], guarded)
    assert.match((await as(token, other)('GET', '/me')).text, /aud/)
    assert.match((await as(token, guarded)('GET', '/me')).text, /could not be read/)
  })

  test('are revoked by user, ID, device and list, used or not, permanently', async () => {
    const end = (user: string, body: object) => gateway.admin('DELETE', `/admin/clients/${user}/token`, body)
    const user = await newUser()
    const second = await gateway.another({ hookCalls: calls })
    onTestFinished(() => second.stop())
    const [presented, waiting] = [await sign(claims(user)), await sign(claims(user))]
    for (const at of [gateway, second]) assert.equal(await statusOf(presented, at), 200)
    assert.equal((await end(user, {})).body.revokedTokens, 1)
    for (const at of [second, gateway]) {
      for (const token of [presented, waiting]) assert.equal(await statusOf(token, at), 401)
    }
    // Issued later than every end here, and within the skew that is accepted.
    const later = (more: JWTPayload = {}) => sign(claims(user, { iat: nowS() + 20, ...more }))
    assert.equal(await statusOf(await later()), 200)

    const byId = [await later({ jti: 'a' }), await later({ jti: 'a', name: 'x' })] as const
    assert.equal(await statusOf(byId[0]), 200)
    assert.equal((await end(user, { jti: 'a' })).body.revokedTokens, 1)
    for (const token of byId) assert.equal(await statusOf(token), 401)

    const ofPhone = [await later({ device: 'phone', iat: nowS() }), await later({ device: 'phone' })] as const
    const tablet = await later({ device: 'tablet' })
    assert.equal(await statusOf(tablet), 200)
    await gateway.chat.db.tokens.deleteOne({ _id: markKey({ app: gateway.app, user }, 'all') })
    assert.equal((await end(user, { deviceId: 'phone' })).body.revokedTokens, 0)
    assert.equal(await statusOf(ofPhone[0]), 401)
    assert.equal(await statusOf(ofPhone[1]), 200, 'it was issued later')
    assert.equal((await end(user, { deviceId: 'phone' })).body.revokedTokens, 1)
    assert.equal(await statusOf(ofPhone[1]), 401)

    const { data } = (await as(tablet)('GET', '/me/tokens')).body.result
    const own = data.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    assert.deepEqual([own.deviceId, own.isOwnLogin, typeof own.jti], ['tablet', true, 'string'])
    assert.equal((await as(tablet)('DELETE', `/me/tokens/${own.id}`)).status, 200)
    assert.equal(await statusOf(tablet), 401)
    for (const both of [
      { jti: 'a', deviceId: 'b' },
      { token: 'a', jti: 'b' },
    ]) {
      const { status, body } = await end(user, both)
      assert.deepEqual([status, body.error], [400, 'INVALID_REQUEST'])
      assert.match(body.message, /jti/)
    }
  })

  test('have one identity, though signatures have several valid forms', async () => {
    const user = await newUser()
    const [ofRsa, ofEc] = [
      await sign(claims(user)),
      await sign(claims(user), { alg: 'ES256', kid: 'ec' }, ec.privateKey),
    ]
    for (const [token, altered] of [
      [ofRsa, withUnusedBits(ofRsa)],
      [ofEc, withOtherS(ofEc)],
    ] as const) {
      assert.equal(await statusOf(token), 200)
      assert.equal(await statusOf(altered), 401, 'it is another form of a valid token')
      assert.equal((await as(token)('DELETE', `/me/tokens/${digest(token).slice(0, 12)}`)).status, 200)
      for (const one of [token, altered]) assert.equal(await statusOf(one), 401)
    }
  })

  test('are revoked by a ban and by a token that replaces all; only their issuer renews them', async () => {
    const user = await newUser()
    const [one, two] = [await sign(claims(user)), await sign(claims(user))]
    assert.equal(await statusOf(one), 200)
    assert.equal((await as(one)('POST', '/me/token')).body.error.code, 'PERMISSION_DENIED')
    await gateway.admin('POST', '/admin/clients', { _id: user, issueAccessToken: true })
    assert.equal(await statusOf(one), 401)
    assert.equal(await statusOf(two), 200)
    await gateway.admin('POST', `/admin/clients/${user}/ban`, {})
    assert.equal(await statusOf(two), 401)
    const third = await sign(claims(user))
    assert.match((await as(third)('GET', '/me')).text, /banned/)
    await gateway.admin('DELETE', `/admin/clients/${user}/ban`)
    // `third` may have been issued in a later second than the ban.
    for (const token of [one, two]) assert.equal(await statusOf(token), 401)
  })

  test('a token for a device replaces only that device’s; without deviceId it replaces all; 50 at most', async () => {
    const user = await newUser()
    const issue = async (deviceId?: string) => {
      const { body } = await gateway.admin('POST', '/admin/clients', { _id: user, issueAccessToken: true, deviceId })
      return body.result.token as string
    }
    const [phone, tablet] = [await issue('phone'), await issue('tablet')]
    const again = await issue('phone')
    assert.deepEqual(await Promise.all([phone, tablet, again].map((token) => statusOf(token))), [401, 200, 200])
    const list = async () => (await gateway.admin('GET', `/admin/clients/${user}/tokens`)).body.result.data
    const listed: { deviceId: string; id: string }[] = await list()
    assert.deepEqual(listed.map(({ deviceId }) => deviceId).toSorted(), ['phone', 'tablet'])
    const ofTablet = listed.find(({ deviceId }) => deviceId === 'tablet')?.id
    const path = `/admin/clients/${user}/tokens/${ofTablet}`
    assert.equal((await gateway.admin('DELETE', path)).status, 200)
    assert.equal((await gateway.admin('DELETE', path)).body.error.code, 'TOKEN_NOT_FOUND')
    assert.equal((await gateway.admin('DELETE', `${path}x`)).body.error.code, 'INVALID_REQUEST')
    assert.deepEqual(await Promise.all([tablet, again].map((token) => statusOf(token))), [401, 200])
    for (let i = 0; i < 50; i++) await issue(`device ${i}`)
    assert.equal((await list()).length, 50)
    assert.equal(await statusOf(again), 401, 'the oldest ended')
    const only = await issue()
    assert.equal((await list()).length, 1)
    const ended = await gateway.admin('DELETE', `/admin/clients/${user}/token`, {})
    assert.equal(ended.body.revokedTokens, 1)
    assert.equal(await statusOf(only), 401)
    const wrong = await gateway.admin('POST', '/admin/clients', { _id: user, nickname: 'x', deviceId: 'phone' })
    assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'INVALID_REQUEST'])
    assert.match(wrong.body.error.message, /deviceId/)
  })

  test('a renewed token keeps its device: it ends with the device, and with the device’s next token', async () => {
    const user = await newUser()
    const issueAndRenew = async (): Promise<string> => {
      const phone = { _id: user, issueAccessToken: true, deviceId: 'phone' }
      const { token } = (await gateway.admin('POST', '/admin/clients', phone)).body.result
      return (await as(token)('POST', '/me/token')).body.result.token
    }
    const first = await issueAndRenew()
    const second = await issueAndRenew()
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200])
    const ended = await gateway.admin('DELETE', `/admin/clients/${user}/token`, { deviceId: 'phone' })
    assert.deepEqual([ended.body.revokedTokens, await statusOf(second)], [1, 401])
  })

  test('bad issuers are 400 INVALID_BODY naming the field; users never see them, and a key needs users:write', async () => {
    const good = { issuer, audience, jwksUrl }
    for (const [value, field] of [
      [{}, 'tokenIssuers'],
      [[{ ...good, jwksUrl: 'ftp://x' }], 'tokenIssuers.0.jwksUrl'],
      [[{ ...good, algorithm: 'HS256' }], 'tokenIssuers.0.algorithm'],
      [[{ ...good, algorithm: 'none' }], 'tokenIssuers.0.algorithm'],
      [[{ issuer, audience, secret: 'short' }], 'tokenIssuers.0.secret'],
      [[{ issuer, audience, secret, algorithm: 'RS256' }], 'tokenIssuers.0.algorithm'],
      [[{ issuer, audience, publicKey: pem, algorithm: 'ES256' }], 'tokenIssuers.0.publicKey'],
      [[{ issuer, jwksUrl }], 'tokenIssuers.0.audience'],
      [[{ issuer, audience: 5, secret }], 'tokenIssuers.0.audience'],
      [[{ issuer, audience, secret, createUsers: 'yes' }], 'tokenIssuers.0.createUsers'],
      [[{ ...good, secret }], 'tokenIssuers.0.secret: unknown field'],
      [[{ issuer, audience }], 'tokenIssuers.0.jwksUrl is required'],
      [[null], 'tokenIssuers.0: expected object'],
      [[good, good], 'tokenIssuers'],
    ] as const) {
      const { status, body } = await gateway.admin('POST', '/config', { tokenIssuers: value })
      assert.deepEqual([status, body.error.code], [400, 'INVALID_BODY'], JSON.stringify(value))
      assert.ok(body.error.message.includes(field), body.error.message)
    }
    await gateway.admin('POST', '/config', { privateKeys: [] })
    const user = await gateway.newUser()
    assert.ok(!(await user.call('GET', '/config')).text.includes('tokenIssuers'))
    assert.ok((await gateway.admin('GET', '/config')).text.includes(jwksUrl))
    const name = randomUUID()
    const { apiKey } = await addApiKey(gateway.chat, gateway.app, { name, scopes: ['config:write'] })
    const tried = await gateway.anonymous('POST', '/config', { tokenIssuers: [] }, { 'im-api-key': apiKey })
    assert.deepEqual([tried.status, tried.body.error.code], [403, 'PERMISSION_DENIED'])
    assert.match(tried.body.error.message, /users:write/)
    const returned = await gateway.anonymous('POST', '/config', { greeting: 'hello' }, { 'im-api-key': apiKey })
    assert.equal(returned.status, 200)
    assert.ok(!returned.text.includes('tokenIssuers'), 'nor does it see them')
  })

  test('of a real OpenID provider, by its discovery document', async () => {
    const provider = await startProvider()
    onTestFinished(() => provider.stop())
    const {
      jwks_uri: uri,
      issuer: ofProvider,
      token_endpoint: tokens,
    } = (await (await fetch(`${provider.url}/.well-known/openid-configuration`)).json()) as Record<string, string>
    const other = await startTestGateway({ hookCalls: calls })
    onTestFinished(() => other.stop())
    await setIssuers([{ issuer: ofProvider, audience: 'urn:chat', jwksUrl: uri, createUsers: true }], other)
    const answer = await fetch(String(tokens), {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('carol:secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:chat' }),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    const { status, body } = await as(token, other)('GET', '/me')
    assert.deepEqual([status, body.result?._id], [200, 'carol'], JSON.stringify(body))
  })
})
