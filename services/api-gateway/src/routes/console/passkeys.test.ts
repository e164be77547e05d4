import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { resetOperator } from '@parley/chat/operators/manage-operators'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { newAuthenticator, type TestAuthenticator } from '../../console/test-authenticator.ts'
import { cookieIn, newOperator, pageOf, type TestOperator } from '../../console/test-operator.ts'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('passkeys of operators', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())
  // Failures of one test do not count in the next.
  beforeEach(() => gateway.chat.db.signInFailures.deleteMany({}))

  const newViewer = () => newOperator(gateway, [{ app: gateway.app, role: 'viewer' }])

  async function begin({ call }: TestOperator): Promise<{ authenticator: TestAuthenticator; challenge: string }> {
    const { body } = await call('POST', '/operator/passkeys/challenge')
    const { challenge, rp, user } = body.result.options
    const userHandle = Buffer.from(user.id, 'base64url').toString()
    const origin = new URL(gateway.url).origin
    assert.equal(rp.id, new URL(gateway.url).hostname)
    return { authenticator: newAuthenticator({ id: rp.id, origin }, userHandle), challenge }
  }

  async function withPasskey(): Promise<{ operator: TestOperator; authenticator: TestAuthenticator; id: string }> {
    const operator = await newViewer()
    const { authenticator, challenge } = await begin(operator)
    const added = await operator.call('POST', '/operator/passkeys', {
      name: 'Laptop',
      credential: authenticator.create(challenge),
    })
    assert.equal(added.status, 200, added.text)
    return { operator, authenticator, id: added.body.result.id }
  }

  const newChallenge = async (): Promise<string> =>
    (await gateway.anonymous('POST', '/operator/passkey/challenge')).body.result.options.challenge
  const enter = (credential: object) => gateway.anonymous('POST', '/operator/passkey', { credential })
  const refuses = async (credential: object) => {
    const { status, body, headers } = await enter(credential)
    assert.deepEqual([status, body.error?.code, headers.getSetCookie()], [401, 'SIGN_IN_FAILED', []])
  }

  test('sign in without a password or a code, as listed, and audited', async () => {
    const { operator, authenticator } = await withPasskey()
    const { status, body, headers } = await enter(authenticator.get(await newChallenge()))
    assert.equal(status, 200)
    assert.equal(body.result.operator.id, operator.id)
    assert.equal(headers.getSetCookie().length, 1)
    const { data: sessions } = (await operator.call('GET', '/operator/sessions')).body.result
    assert.deepEqual(sessions.map(({ by }: { by: string }) => by).toSorted(), ['link', 'passkey'])
    const [listed] = (await operator.call('GET', '/operator/passkeys')).body.result.data
    assert.deepEqual([listed.name, listed.isSynced, typeof listed.lastUsedAt], ['Laptop', false, 'string'])
    const owner = await newOperator(gateway, [{ app: gateway.app, role: 'owner' }])
    const { data: operators } = (await owner.call('GET', '/operators')).body.result
    const shown = operators.map(({ id, hasPasskey }: { id: string; hasPasskey: boolean }) => [id, hasPasskey])
    assert.deepEqual(new Map(shown).get(operator.id), true)
    assert.deepEqual(new Map(shown).get(owner.id), false)
    const entries = await gateway.chat.db.audit.find({ app: '*', subject: `operator:${operator.id}` }).toArray()
    const actions = entries.map(({ action }) => action)
    assert.ok(actions.includes('addPasskey') && actions.filter((one) => one === 'signIn').length === 2, actions.join())
  })

  test('are refused for another origin, a used or unknown challenge, an unverified or other user, or an old counter', async () => {
    const { operator, authenticator } = await withPasskey()
    const other = await newViewer()
    await refuses(authenticator.get(await newChallenge(), { origin: 'https://evil.example.com' }))
    await refuses(authenticator.get('bWFkZSB1cA'))
    await refuses(authenticator.get(await newChallenge(), { isVerified: false }))
    await gateway.chat.db.signInFailures.deleteMany({})
    await refuses(authenticator.get(await newChallenge(), { userHandle: other.id }))
    // A challenge for adding a passkey is none for a sign-in.
    await refuses(authenticator.get((await begin(operator)).challenge))
    const stranger = newAuthenticator({ id: '127.0.0.1', origin: new URL(gateway.url).origin }, operator.id)
    await refuses(stranger.get(await newChallenge()))
    await gateway.chat.db.signInFailures.deleteMany({})
    const answer = authenticator.get(await newChallenge(), { counter: 100 })
    assert.equal((await enter(answer)).status, 200)
    await refuses(answer)
    await refuses(authenticator.get(await newChallenge(), { counter: 100 }))
    assert.equal((await enter(authenticator.get(await newChallenge(), { counter: 101 }))).status, 200)
  })

  test('of two concurrent sign-ins with one credential response, one succeeds', async () => {
    const { authenticator } = await withPasskey()
    const answer = authenticator.get(await newChallenge())
    const statuses = (await Promise.all([enter(answer), enter(answer)])).map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [200, 401],
    )
  })

  test('an account is throttled after several failures', async () => {
    const { authenticator } = await withPasskey()
    const wrong = async () => (await enter(authenticator.get('bWFkZSB1cA'))).status
    for (let i = 0; i < 5; i++) assert.equal(await wrong(), 401)
    const right = await enter(authenticator.get(await newChallenge()))
    assert.deepEqual([right.status, right.body.error.code], [429, 'TOO_MANY_REQUESTS'])
  })

  test('a sign-in does not reset failures, so a stolen session that adds a passkey cannot guess faster', async () => {
    const { authenticator } = await withPasskey()
    const right = async () => (await enter(authenticator.get(await newChallenge()))).status
    const wrong = async () => (await enter(authenticator.get('bWFkZSB1cA'))).status
    for (let i = 0; i < 4; i++) assert.equal(await wrong(), 401)
    assert.equal(await right(), 200)
    assert.equal(await wrong(), 401)
    assert.equal(await right(), 429)
  })

  test("are added only by the operator who started, once, at the console's origin, with a verified user", async () => {
    const [operator, other] = [await newViewer(), await newViewer()]
    const { authenticator, challenge } = await begin(operator)
    const add = async (of: TestOperator, credential: object) =>
      (await of.call('POST', '/operator/passkeys', { name: 'Key', credential })).status
    assert.equal(await add(other, authenticator.create(challenge)), 401)
    assert.equal(await add(operator, authenticator.create(challenge, { isVerified: false })), 401)
    const next = (await begin(operator)).challenge
    assert.equal(await add(operator, authenticator.create(next, { origin: 'https://evil.example.com' })), 401)
    const last = (await begin(operator)).challenge
    assert.equal(await add(operator, authenticator.create(last)), 200)
    assert.equal(await add(operator, authenticator.create(last)), 401)
    const again = (await begin(other)).challenge
    assert.equal(await add(other, authenticator.create(again)), 409)
  })

  test('are added only soon after a sign-in: a stolen session cannot add one', async () => {
    const operator = await newViewer()
    const { authenticator, challenge } = await begin(operator)
    const elevenMinutesAgo = new Date(Date.now() - 660_000)
    const own = { operator: operator.id }
    const aged = await gateway.chat.db.operatorSessions.updateMany(own, { $set: { createdAt: elevenMinutesAgo } })
    assert.equal(aged.modifiedCount, 1)
    const credential = authenticator.create(challenge)
    for (const { status, body } of [
      await operator.call('POST', '/operator/passkeys/challenge'),
      await operator.call('POST', '/operator/passkeys', { name: 'Key', credential }),
    ]) {
      assert.deepEqual([status, body.error?.code], [401, 'SIGN_IN_FAILED'])
    }
  })

  test('are refused if the Host is not a domain', async () => {
    for (const host of ['[', 'a b', 'a:99999']) {
      const answered = Promise.withResolvers<IncomingMessage>()
      const options = { method: 'POST', path: '/operator/passkey/challenge', headers: { host } }
      request(gateway.url, options, answered.resolve).on('error', answered.reject).end()
      const answer = await answered.promise
      const { error } = (await json(answer)) as { error: { code: string } }
      assert.deepEqual([answer.statusCode, error.code], [400, 'INVALID_REQUEST'], host)
    }
  })

  test('an address that starts many sign-ins and finishes none is throttled', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 101; n++) statuses.push((await gateway.anonymous('POST', '/operator/passkey/challenge')).status)
    assert.deepEqual(statuses.slice(-2), [200, 429])
    assert.equal(statuses.filter((status) => status === 200).length, 100)
  })

  test('can be renamed and removed by their operator only; a reset removes them', async () => {
    const { operator, authenticator, id } = await withPasskey()
    const other = await newViewer()
    const { headers, body } = await enter(authenticator.get(await newChallenge()))
    const second = pageOf(gateway, cookieIn(headers), body.result.csrfToken)
    const elsewhere = () => second.call('GET', '/operator/passkeys')
    for (const call of [
      () => other.call('PUT', `/operator/passkeys/${id}`, { name: 'x' }),
      () => other.call('DELETE', `/operator/passkeys/${id}`),
    ])
      assert.equal((await call()).status, 404)
    assert.equal((await operator.call('PUT', `/operator/passkeys/${id}`, { name: 'Old' })).body.result.name, 'Old')
    assert.equal((await operator.call('GET', '/operator/passkeys')).body.result.data[0].name, 'Old')
    // A name opens nothing: no session ends by it.
    assert.equal((await elsewhere()).status, 200)
    assert.equal((await operator.call('DELETE', `/operator/passkeys/${id}`)).status, 200)
    assert.equal((await elsewhere()).status, 401)
    await refuses(authenticator.get(await newChallenge()))
    const reset = await withPasskey()
    const parts = { db: gateway.chat.db, auditDays: 1 }
    await resetOperator(parts, { actor: { actor: 'command:test' }, roles: undefined }, reset.operator.id)
    await refuses(reset.authenticator.get(await newChallenge()))
  })
})
