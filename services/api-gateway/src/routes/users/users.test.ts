import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { digest } from '@parley/db/apps/apps'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Answer, CallApi, TestGateway } from '../../test-gateway.ts'
import { startTestGateway } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let save: (body: object, by?: CallApi) => Promise<Answer>
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

beforeAll(async () => {
  gateway = await startTestGateway()
  save = (body, by = gateway.admin) => by('POST', '/admin/clients', body)
})
afterAll(() => gateway.stop())

/** Whether the token is valid for GET /me/badge. */
async function opens(token: string): Promise<boolean> {
  const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': encodeURIComponent(token) }
  const { status, body } = await gateway.anonymous('GET', '/me/badge', undefined, headers)
  if (status !== 200) assert.equal(body.error.code, 'INVALID_TOKEN')
  return status === 200
}

/** The bare form: no envelope. */
function refusedBare({ status, body }: Answer, wanted: number, code: string, message?: RegExp): void {
  assert.equal(status, wanted, JSON.stringify(body))
  assert.deepEqual(Object.keys(body).toSorted(), ['error', 'message'])
  assert.equal(body.error, code)
  if (message) assert.match(body.message, message)
}

describe('POST /admin/clients', () => {
  test('issueAccessToken true creates the user and returns the envelope with token and expirationDate, 30 days ahead', async () => {
    proves('POST /admin/clients', 'body._id', 'body.nickname', 'body.issueAccessToken')
    proves('POST /admin/clients', 'mode 1: issueAccessToken true returns a new token and expirationDate')
    const { status, body } = await save({ _id: 'u1', nickname: 'One', issueAccessToken: true })
    assert.equal(status, 200)
    assert.equal(body.RC, 0)
    assert.partialDeepStrictEqual(body.result, { _id: 'u1', id: 'u1', nickname: 'One', appID: gateway.app, mute: [] })
    const days = (Date.parse(body.result.expirationDate) - Date.now()) / 86_400_000
    assert.ok(days > 29.9 && days < 30.1, `${days} days`)
    assert.equal(await opens(body.result.token), true)
  })

  test('user token: valid → replaced by a new token, and the old one becomes invalid', async () => {
    proves('POST /admin/clients', 'mode 1: the old token of an existing user becomes invalid')
    proves('User token transitions', 'valid → replaced by a new token, the old one becomes invalid')
    const first = (await save({ _id: 'u2', issueAccessToken: true })).body.result.token
    const second = (await save({ _id: 'u2', issueAccessToken: true })).body.result.token
    assert.notEqual(first, second)
    assert.deepEqual([await opens(first), await opens(second)], [false, true])
  })

  test('assigning an external token to a new user returns the bare object', async () => {
    proves('POST /admin/clients', 'mode 2: creates with an external token, returns the bare object', 'body.avatarUrl')
    proves('POST /admin/clients', 'body.token', 'body.expirationDate', 'bare _id', 'bare nickname', 'bare avatarUrl')
    proves('POST /admin/clients', 'bare issueAccessToken', 'bare token', 'bare expirationDate')
    proves('Client keys and user tokens', 'a supplied token has any format')
    const expirationDate = inAnHour()
    const given = { _id: 'u3', nickname: 'Three', avatarUrl: 'https://a/3', issueAccessToken: false, token: 'täg 3' }
    const { status, body } = await save({ ...given, expirationDate })
    assert.equal(status, 200)
    assert.deepEqual(body, { ...given, expirationDate })
    assert.equal(await opens('täg 3'), true)
  })

  test('assigning one to an existing _id is 409 USER_EXISTS in the bare form, and changes nothing', async () => {
    proves('POST /admin/clients', '409 USER_EXISTS')
    proves('Error forms', 'the bare form {error, message} of external-token assignment')
    await save({ _id: 'u4', nickname: 'Four', issueAccessToken: false, token: 't4', expirationDate: inAnHour() })
    const again = { _id: 'u4', nickname: 'New', issueAccessToken: false, token: 't4b', expirationDate: inAnHour() }
    refusedBare(await save(again), 409, 'USER_EXISTS', /u4/)
    assert.deepEqual([await opens('t4'), await opens('t4b')], [true, false])
  })

  test('without token or expirationDate it is 400 INVALID_REQUEST in the bare form, naming the field', async () => {
    proves('POST /admin/clients', '400 INVALID_REQUEST')
    const without = { _id: 'u5', nickname: 'x', issueAccessToken: false }
    refusedBare(await save({ ...without, expirationDate: inAnHour() }), 400, 'INVALID_REQUEST', /token/)
    refusedBare(await save({ ...without, token: 't5' }), 400, 'INVALID_REQUEST', /expirationDate/)
    refusedBare(await save({ ...without, token: '' }), 400, 'INVALID_REQUEST', /token/)
    refusedBare(await save({ ...without, token: 't'.repeat(4097), expirationDate: inAnHour() }), 400, 'INVALID_REQUEST')
    refusedBare(
      await save({ ...without, token: 't5', expirationDate: 'soon' }),
      400,
      'INVALID_REQUEST',
      /expirationDate/,
    )
  })

  test('user token: valid → replaced by the bound token; profile fields given are updated, in the envelope', async () => {
    proves('POST /admin/clients', 'mode 3: binds a token to an existing user in the place of the old one')
    proves('User token transitions', 'valid → replaced by the bound token')
    const first = (await save({ _id: 'u6', nickname: 'Six', issueAccessToken: true })).body.result.token
    const expirationDate = inAnHour()
    const { status, body } = await save({ _id: 'u6', token: 'bound 6', expirationDate, avatarUrl: 'https://a/6' })
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body.result, {
      _id: 'u6',
      nickname: 'Six',
      avatarUrl: 'https://a/6',
      token: 'bound 6',
      expirationDate,
    })
    assert.deepEqual([await opens(first), await opens('bound 6')], [false, true])
  })

  test('issueAccessToken false without profile fields binds to an existing user', async () => {
    await save({ _id: 'u7', nickname: 'Seven', issueAccessToken: true })
    const { status, body } = await save({ _id: 'u7', issueAccessToken: false, token: 't7', expirationDate: inAnHour() })
    assert.equal(status, 200)
    assert.equal(body.result.nickname, 'Seven')
  })

  test('a token held by another user of the app is 400 INVALID_REQUEST; in another app it is free', async () => {
    await save({ _id: 'u8', token: 'shared', expirationDate: inAnHour() })
    refusedBare(await save({ _id: 'u9', token: 'shared', expirationDate: inAnHour() }), 400, 'INVALID_REQUEST', /token/)
    const other = await startTestGateway()
    const { status } = await save({ _id: 'u9', token: 'shared', expirationDate: inAnHour() }, other.admin)
    assert.equal(status, 200)
    await other.stop()
  })

  test('an expired token is free at once for another user', async () => {
    const { tokens } = gateway.chat.db
    const expire = async (user: string) => {
      const { modifiedCount } = await tokens.updateMany(
        { userKey: key(gateway.app, user) },
        { $set: { expiresAt: new Date(Date.now() - 1_000) } },
      )
      assert.equal(modifiedCount, 1)
    }
    await save({ _id: 'u81', token: 'passed on', expirationDate: inAnHour() })
    await expire('u81')
    assert.equal((await save({ _id: 'u82', token: 'passed on', expirationDate: inAnHour() })).status, 200)
    await expire('u82')
    const body = { token: 'passed on', expirationDate: inAnHour() }
    assert.equal((await gateway.admin('PUT', '/admin/clients/u81/token', body)).status, 200)
    const [holder, ...others] = await tokens.find({ digest: digest('passed on'), app: gateway.app }).toArray()
    assert.deepEqual([holder?.user, others], ['u81', []])
    await expire('u81')
    // The last two are written together.
    await Promise.all([
      save({ _id: 'u83', nickname: 'x', issueAccessToken: true }),
      save({ _id: 'u82', token: 'passed on', expirationDate: inAnHour() }),
      save({ _id: 'u81', token: 'of their own', expirationDate: inAnHour() }),
    ])
    assert.deepEqual([await opens('passed on'), await opens('of their own')], [true, true])
  })

  test('a profile-only update changes only the given fields and shows no token', async () => {
    proves('POST /admin/clients', 'mode 4: only supplied fields change')
    proves('POST /admin/clients', 'token fields only when a token operation occurred')
    await save({ _id: 'u10', nickname: 'Ten', email: 'ten@x', issueAccessToken: true })
    const { body } = await save({ _id: 'u10', avatarUrl: 'https://a/10', isAdmin: true })
    assert.partialDeepStrictEqual(body.result, {
      nickname: 'Ten',
      email: 'ten@x',
      avatarUrl: 'https://a/10',
      isAdmin: true,
    })
    assert.equal('token' in body.result || 'expirationDate' in body.result, false)
    await save({ _id: 'u10', nickname: '', email: '', avatarUrl: '' })
    assert.partialDeepStrictEqual((await save({ _id: 'u10' })).body.result, { nickname: '', email: '', avatarUrl: '' })
  })

  test('expirationDate accepts every ISO-8601 notation', async () => {
    for (const [expirationDate, utc] of [
      ['2099-06-01', '2099-06-01T00:00:00.000Z'],
      ['2099-06-01T12:00Z', '2099-06-01T12:00:00.000Z'],
      ['2099-06-01T12:00:00', '2099-06-01T12:00:00.000Z'],
      ['2099-06-01T12:00:00.123456+0800', '2099-06-01T04:00:00.123Z'],
      ['2099-06-01T12:00:00-08', '2099-06-01T20:00:00.000Z'],
    ] as const) {
      await save({ _id: 'u14', token: 'u14 bound', expirationDate })
      const { expiresAt } = (await gateway.chat.db.tokens.findOne({ app: gateway.app, user: 'u14' })) ?? {}
      assert.equal(expiresAt?.toISOString(), utc)
    }
    for (const expirationDate of ['2099-02-30', '2099-06-01T24:00Z', '2099-13-01', 'June 1, 2099', 4_084_000_000_000]) {
      const refusal = await save({ _id: 'u14', token: 'u14 bound', expirationDate })
      refusedBare(refusal, 400, 'INVALID_REQUEST', /expirationDate/)
    }
  })

  test('issuing, binding and updating return the envelope with the User', async () => {
    proves('POST /admin/clients', 'modes 1, 3 and 4 answer the envelope with the User')
    proves('Conventions', 'the envelope {RC, RM, result}, RC 0 means success')
    proves('User', 'token', 'expirationDate')
    const modes = [
      { issueAccessToken: true },
      { token: 'bound 13', expirationDate: inAnHour() },
      { nickname: 'Thirteen' },
    ]
    for (const mode of modes) {
      const { status, body } = await save({ _id: 'u13', ...mode })
      assert.deepEqual([status, Object.keys(body).toSorted(), body.RC], [200, ['RC', 'RM', 'result'], 0])
      assert.equal(typeof body.RM, 'string')
      const { _id, id, appID, token, expirationDate } = body.result
      assert.deepEqual([_id, id, appID], ['u13', 'u13', gateway.app])
      const hasToken = !('nickname' in mode)
      assert.equal(typeof token === 'string' && Date.parse(expirationDate) > Date.now(), hasToken)
    }
  })

  test('a profile-only update of an unknown user is 404 CLIENT_NOT_FOUND', async () => {
    refused(await save({ _id: 'nobody', nickname: 'x' }), 404, 'CLIENT_NOT_FOUND', /nobody/)
  })

  test('a bad API key is 401 INVALID_API_KEY, and 401 UNAUTHORIZED in bare responses', async () => {
    proves('POST /admin/clients', '401 INVALID_API_KEY', '401 UNAUTHORIZED')
    const wrong = { 'im-api-key': 'wrong' }
    const call = (body: object) => gateway.anonymous('POST', '/admin/clients', body, wrong)
    refused(await call({ _id: 'u11', nickname: 'x' }), 401, 'INVALID_API_KEY')
    refusedBare(await call({ _id: 'u11', issueAccessToken: false, token: 't' }), 401, 'UNAUTHORIZED')
  })

  test('without _id is 400 MISSING_PARAMETER; a wrong type or a bad ID is 400 INVALID_REQUEST', async () => {
    refused(await save({ nickname: 'x' }), 400, 'MISSING_PARAMETER', /_id/)
    refused(await save({ _id: 'u12', nickname: 5 }), 400, 'INVALID_REQUEST', /nickname/)
    for (const _id of ['', 'a\nb', 'x'.repeat(129), 7])
      refused(await save({ _id, nickname: 'x' }), 400, 'INVALID_REQUEST')
  })

  test('the same new user assigned 50 times at once over two gateways is created once; the others get 409 USER_EXISTS', async () => {
    const other = await gateway.another()
    const make = (i: number) =>
      save(
        { _id: 'race', nickname: 'x', issueAccessToken: false, token: `race ${i}`, expirationDate: inAnHour() },
        i % 2 ? gateway.admin : other.admin,
      )
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => make(i)))
    const made = answers.filter(({ status }) => status === 200)
    assert.equal(made.length, 1)
    for (const answer of answers) if (answer.status !== 200) refusedBare(answer, 409, 'USER_EXISTS')
    assert.equal(await opens(made[0]?.body.token), true)
    assert.equal(await gateway.chat.db.tokens.countDocuments({ user: 'race' }), 1)
    await other.stop()
  })
})

describe('DELETE /admin/clients/{client_id}/token', () => {
  const revoke = (id: string, body?: object) =>
    gateway.admin('DELETE', `/admin/clients/${encodeURIComponent(id)}/token`, body)

  test('user token: valid → revoked, with revokedTokens 1, bare', async () => {
    proves('DELETE /admin/clients/{client_id}/token', 'body.token', 'result.success', 'result.message')
    proves('DELETE /admin/clients/{client_id}/token', 'result.revokedTokens', 'the effect is immediate')
    proves('User token transitions', 'valid → revoked, revokedTokens is 1')
    const { token } = await gateway.newUser('r/1')
    const { status, body } = await revoke('r/1', { token })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).toSorted(), ['message', 'revokedTokens', 'success'])
    assert.deepEqual([body.success, body.revokedTokens, typeof body.message], [true, 1, 'string'])
    assert.equal(await opens(token), false)
  })

  test('user token: valid (all) → all revoked, revokedTokens is the number removed', async () => {
    proves('DELETE /admin/clients/{client_id}/token', 'without token, all of the user’s tokens are removed')
    proves('User token transitions', 'valid (all) → all revoked, revokedTokens is the number removed')
    const { token } = await gateway.newUser('r2')
    assert.deepEqual((await revoke('r2')).body.revokedTokens, 1)
    assert.equal(await opens(token), false)
    assert.deepEqual((await revoke('r2', {})).body.revokedTokens, 0)
  })

  test('unknown client 404 CLIENT_NOT_FOUND, unknown token 404 TOKEN_NOT_FOUND, bad key 401 UNAUTHORIZED: all bare', async () => {
    proves('DELETE /admin/clients/{client_id}/token', 'with token, only that token is revoked', '404 CLIENT_NOT_FOUND')
    proves('DELETE /admin/clients/{client_id}/token', '404 TOKEN_NOT_FOUND', '401 UNAUTHORIZED')
    proves('Error forms', 'the bare form {error, message} of token revocation')
    const { token } = await gateway.newUser('r3')
    await gateway.newUser('r4')
    refusedBare(await revoke('nobody'), 404, 'CLIENT_NOT_FOUND')
    refusedBare(await revoke('r4', { token }), 404, 'TOKEN_NOT_FOUND')
    refusedBare(await revoke('r4', { token: 7 }), 400, 'INVALID_REQUEST', /token/)
    assert.equal(await opens(token), true)
    const wrong = await gateway.anonymous('DELETE', '/admin/clients/r3/token', {}, { 'im-api-key': 'x' })
    refusedBare(wrong, 401, 'UNAUTHORIZED')
  })
})

describe('PUT /admin/clients/{client_id}/token and POST /me/token', () => {
  test('replaces all tokens with the bound one, in the bare form', async () => {
    const { token } = await gateway.newUser('b1')
    const expirationDate = inAnHour()
    const bind = (id: string, body: object) => gateway.admin('PUT', `/admin/clients/${id}/token`, body)
    const { status, body } = await bind('b1', { token: 'b1 bound', expirationDate })
    assert.equal(status, 200)
    assert.deepEqual(body, { _id: 'b1', token: 'b1 bound', expirationDate })
    assert.deepEqual([await opens(token), await opens('b1 bound')], [false, true])
    refusedBare(await bind('nobody', { token: 'x', expirationDate }), 404, 'CLIENT_NOT_FOUND')
    refusedBare(await bind('b1', { token: 'x' }), 400, 'INVALID_REQUEST', /expirationDate/)
    await gateway.newUser('b2')
    refusedBare(await bind('b2', { token: 'b1 bound', expirationDate }), 400, 'INVALID_REQUEST', /token/)
  })

  test("POST /me/token returns a new token and ends the caller's, once even if called 20 times at once", async () => {
    const user = await gateway.newUser('b3')
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.call('POST', '/me/token')))
    const [won, ...more] = answers.filter(({ status }) => status === 200)
    assert.equal(more.length, 0)
    for (const answer of answers) if (answer !== won) refused(answer, 401, 'INVALID_TOKEN')
    assert.deepEqual([await opens(user.token), await opens(won?.body.result.token)], [false, true])
    assert.ok(Date.parse(won?.body.result.expirationDate) > Date.now())
  })

  test('a past expirationDate is 400 INVALID_REQUEST in every mode, and nothing changes', async () => {
    await save({ _id: 'b5', token: 'b5 kept', expirationDate: inAnHour() })
    const past = { expirationDate: new Date(Date.now() - 1_000).toISOString() }
    const refusals = [
      await save({ _id: 'b5', token: 'b5 other', ...past }),
      await save({ _id: 'b6', nickname: 'x', issueAccessToken: false, token: 'b6', ...past }),
      await save({ _id: 'b5', issueAccessToken: true, ...past }),
      await gateway.admin('PUT', '/admin/clients/b5/token', { token: 'b5 other', ...past }),
    ]
    for (const { status, body } of refusals) {
      assert.equal(status, 400)
      assert.match(JSON.stringify(body), /INVALID_REQUEST.*expirationDate|expirationDate.*INVALID_REQUEST/)
    }
    assert.equal(await opens('b5 kept'), true)
    assert.equal((await save({ _id: 'b6' })).status, 404)
  })
})

describe('POST /admin/clients/list', () => {
  const saveAll = (data: object[]) => gateway.admin('POST', '/admin/clients/list', { data })

  test('creates and updates up to 1,000 users at once; absent fields keep their values', async () => {
    await save({ _id: 'l0', nickname: 'Old', email: 'l0@x', issueAccessToken: true })
    const data = Array.from({ length: 1000 }, (_, i) => ({ _id: `l${i}`, nickname: `User ${i}` }))
    const { status, body } = await saveAll(data)
    assert.equal(status, 200)
    assert.deepEqual(body.result, { count: 1000 })
    const found = await gateway.admin('GET', `/admin/clients?q=${encodeURIComponent('{"_id":"l0"}')}`)
    assert.partialDeepStrictEqual(found.body.result.data, [{ _id: 'l0', nickname: 'User 0', email: 'l0@x' }])
    refused(await saveAll([...data, { _id: 'one more' }]), 400, 'INVALID_REQUEST', /data/)
    refused(await saveAll([{ _id: 'ok' }, { nickname: 'no ID' }]), 400, 'MISSING_PARAMETER', /_id/)
    refused(await saveAll([{ _id: 'ok', bad: 1 }]), 400, 'INVALID_REQUEST', /bad/)
  })

  test("`__v` counts a user's changes as POST /admin/clients does", async () => {
    const versions: unknown[] = []
    for (const create of [saveAll, ([user]: object[]) => save({ ...user, issueAccessToken: true })]) {
      for (const change of [create, saveAll]) {
        await change([{ _id: `by ${create.name}`, nickname: 'x' }])
        versions.push((await save({ _id: `by ${create.name}` })).body.result.__v)
      }
    }
    assert.deepEqual(versions, [0, 1, 0, 1])
  })

  test('the same list from two gateways at once creates each user once', async () => {
    const other = await gateway.another()
    const data = Array.from({ length: 50 }, (_, i) => ({ _id: `twice ${i}`, nickname: 'x' }))
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => (i % 2 ? gateway : other).admin('POST', '/admin/clients/list', { data })),
    )
    for (const { status } of answers) assert.equal(status, 200)
    const q = encodeURIComponent('{"_id":{"$regex":"^twice "}}')
    assert.equal((await gateway.admin('GET', `/admin/clients?q=${q}`)).body.result.totalCount, 50)
    await other.stop()
  })
})

describe('DELETE /admin/clients/{client_id}', () => {
  test('erases profile, tokens, devices, prefs and memberships; messages keep the ID and lose the profile', async () => {
    const eve = await gateway.newUser('eve', { nickname: 'Eve' })
    const bob = await gateway.newUser('bob')
    const room = await gateway.newRoom([eve, bob], { owner: 'eve' })
    await gateway.admin('POST', '/messages', { room, sender: 'eve', message: 'hi', messageType: 'text' })
    await eve.call('POST', '/me/subscribe', { type: 'fcm', token: 'dev', deviceId: 'd' })
    await eve.call('POST', '/me/pref/theme', { data: 'dark' })
    await gateway.admin('POST', '/admin/groups', { _id: 'g', nickname: 'G', members: ['eve', 'bob'] })
    const heard = await gateway.hear()

    const { status, body } = await gateway.admin('DELETE', '/admin/clients/eve')
    assert.equal(status, 200)
    assert.deepEqual(body.result, {})
    assert.equal(await opens(eve.token), false)
    const { payload } = await heard.next('room')
    assert.partialDeepStrictEqual(payload, { _id: room, memberCount: 1, members: [{ _id: 'bob' }], owner: 'bob' })
    const { db } = gateway.chat
    // The mark that ends Eve's JWTs stays.
    const ofEve = { $or: [{ user: 'eve' }, { userKey: /\0eve$/ }], ended: { $ne: true as const } }
    for (const left of [db.devices, db.prefs, db.memberships, db.tokens]) {
      assert.equal(await left.countDocuments(ofEve), 0)
    }
    const history = await bob.call('GET', `/rooms/${room}/messages/v3`)
    const [message] = history.body.result.data
    assert.equal(message.sender._id, 'eve')
    assert.doesNotMatch(JSON.stringify(message.sender), /Eve/)
    const groups = await gateway.admin('GET', '/admin/groups')
    assert.deepEqual(groups.body.result.data, [{ _id: 'g', nickname: 'G', avatarUrl: '', members: ['bob'] }])
    assert.equal((await bob.call('GET', '/me/badge')).body.result.badge, 1)
    refused(await gateway.admin('DELETE', '/admin/clients/eve'), 404, 'CLIENT_NOT_FOUND', /eve/)
  })
})
