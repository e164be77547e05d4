import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { exportSPKI, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'
import { withOtherS } from './test-signatures.ts'

const daysS = 86_400
const nowS = () => Math.floor(Date.now() / 1_000)

describe('revoked tokens of the app’s own login', () => {
  let gateway: TestGateway
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  beforeAll(async () => {
    gateway = await startTestGateway()
    const keys = { publicKey: await exportSPKI(publicKey), algorithm: 'ES256' }
    const tokenIssuers = [{ issuer: 'login', audience: 'chat', createUsers: true, ...keys }]
    assert.equal((await gateway.admin('POST', '/config', { tokenIssuers })).status, 200)
  })
  afterAll(() => gateway.stop())

  const sign = (sub: string, more: JWTPayload = {}) =>
    new SignJWT({ iss: 'login', aud: 'chat', sub, iat: nowS(), exp: nowS() + 600, ...more })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey)
  const as = (token: string, method: 'GET' | 'POST', path: string) =>
    gateway.anonymous(method, path, undefined, { 'im-client-key': gateway.clientKey, 'im-authorization': token })
  const statusOf = async (token: string) => (await as(token, 'GET', '/me')).status

  test('stay ended when their user is erased, and create no new one; later tokens do', async () => {
    const user = randomUUID()
    const [used, waiting] = [await sign(user, { jti: 'used' }), await sign(user, { jti: 'waiting' })]
    assert.equal(await statusOf(used), 200)
    assert.equal((await gateway.admin('DELETE', `/admin/clients/${user}`)).status, 200)
    for (const token of [used, waiting]) assert.equal(await statusOf(token), 401)
    assert.equal((await gateway.admin('GET', `/admin/clients/${user}/tokens`)).status, 404)
    assert.equal(await statusOf(await sign(user, { iat: nowS() + 2 })), 200)
    for (const token of [used, waiting]) assert.equal(await statusOf(token), 401)
  })

  test('stay ended if they were bound as the user’s token, in every form', async () => {
    const bindings = {
      saveUser: (_id: string, more: object) => gateway.admin('POST', '/admin/clients', { _id, ...more }),
      bindToken: (id: string, more: object) => gateway.admin('PUT', `/admin/clients/${id}/token`, more),
    }
    const endings = {
      revoked: (id: string, token: string) => gateway.admin('DELETE', `/admin/clients/${id}/token`, { token }),
      replaced: (_id: string) => gateway.admin('POST', '/admin/clients', { _id, issueAccessToken: true }),
      renewed: (_id: string, token: string) => as(token, 'POST', '/me/token'),
    }
    for (const [how, bind] of Object.entries(bindings)) {
      for (const [what, end] of Object.entries(endings)) {
        const user = randomUUID()
        await gateway.admin('POST', '/admin/clients/list', { data: [{ _id: user }] })
        const token = await sign(user)
        const expirationDate = new Date(Date.now() + 60_000).toISOString()
        assert.equal((await bind(user, { token, expirationDate })).status, 200, how)
        assert.equal(await statusOf(token), 200, how)
        assert.equal((await end(user, token)).status, 200, what)
        for (const form of [token, withOtherS(token)]) assert.equal(await statusOf(form), 401, `${how}, ${what}`)
      }
    }
  })

  test('are remembered until they expire: none may last more than 366 days', async () => {
    const user = randomUUID()
    assert.equal(await statusOf(await sign(user, { iat: nowS() - 100 * daysS, exp: nowS() + 265 * daysS })), 200)
    const tooLong = await as(await sign(user, { iat: nowS() - 100 * daysS, exp: nowS() + 300 * daysS }), 'GET', '/me')
    assert.deepEqual([tooLong.status, tooLong.body.error.code], [401, 'INVALID_TOKEN'])
    assert.match(tooLong.body.error.message, /exp: more than 366 days/)
  })
})
