import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { beginAttempt } from '@parley/chat/operators/attempts'
import type { Passwords } from '@parley/chat/operators/passwords'
import { totpStep } from '@parley/chat/operators/second-factor'
import { signIn } from '@parley/chat/operators/sign-in'
import { ApiError } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { cookieIn, invite, newOperator, pageOf, type TestOperator } from '../../console/test-operator.ts'
import { type Answer, startTestGateway, type TestGateway } from '../../test-gateway.ts'

const password = 'correct horse battery staple'

describe('operators sign in', () => {
  let gateway: TestGateway
  let another: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
    another = await gateway.another()
  })
  afterAll(async () => {
    await another.stop()
    await gateway.stop()
  })

  // Failures of one test do not count in the next.
  beforeEach(() => gateway.chat.db.signInFailures.deleteMany({ _id: /^address 127/ }))

  const viewer = () => [{ app: gateway.app, role: 'viewer' as const }]
  const enter = (email: string, given: string, totp?: string): Promise<Answer> =>
    gateway.anonymous('POST', '/operator/session', { email, password: given, ...(totp !== undefined && { totp }) })
  const open = ({ headers, body }: Answer) => pageOf(gateway, cookieIn(headers), body.result.csrfToken)
  const seen = async (page: Pick<TestOperator, 'call'>) => (await page.call('GET', '/admin/rooms')).status
  const code = (secret: string, atMS = Date.now()) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMS })

  async function withPassword(): Promise<TestOperator> {
    const operator = await newOperator(gateway, viewer())
    const changed = await operator.call('POST', '/operator/password', { password })
    assert.equal(changed.status, 200, changed.text)
    return { ...operator, ...open(changed) }
  }

  test('by a link, once: of two concurrent attempts one succeeds', async () => {
    const { link, email } = await invite(gateway, viewer())
    const both = await Promise.all(
      [gateway, another].map(({ anonymous }) => anonymous('POST', '/operator/link', { token: link })),
    )
    assert.equal(both.filter(({ status }) => status === 200).length, 1)
    const won = both.find(({ status }) => status === 200)
    assert.equal(won?.body.result.operator.email, email)
    assert.equal(JSON.stringify(await gateway.chat.db.operators.find().toArray()).includes(link), false)
  })

  test('by e-mail, in any case, and password', async () => {
    const { email } = await withPassword()
    const answer = await enter(email.toUpperCase(), password)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(await seen(open(answer)), 200)
    const doc = await gateway.chat.db.operators.findOne({ email })
    assert.match(doc?.passwordHash ?? '', /^\$argon2id\$/)
  })

  test('a wrong password, an unknown e-mail and an account without a password are indistinguishable', async () => {
    const { email } = await withPassword()
    const { email: without } = await invite(gateway, viewer())
    const asked: (string | undefined)[] = []
    const passwords: Passwords = {
      hash: async () => '',
      matches: async (_given, hashed) => (asked.push(hashed && 'hash'), false),
    }
    const operators = { db: gateway.chat.db, auditDays: 1, passwords, idleMS: 1_000, longestMS: 1_000 }
    const answers: string[] = []
    for (const given of [email, without, `${randomUUID()}@example.com`]) {
      const { status, text, headers } = await enter(given, 'wrong password')
      const names = [...headers.keys()].toSorted().join()
      answers.push(JSON.stringify([status, text, names]))
      const visitor = { address: '203.0.113.1', userAgent: '', request: '' }
      await assert.rejects(signIn(operators, { email: given, password: 'wrong' }, visitor), { code: 'SIGN_IN_FAILED' })
    }
    assert.equal(new Set(answers).size, 1, answers.join('\n'))
    // Each compares one hash, if need be a dummy: the same work.
    assert.deepEqual(asked, ['hash', undefined, undefined])
    const { text } = await gateway.metrics.scrape()
    assert.match(text, /^parley_operator_sign_ins_total{.*outcome="SIGN_IN_FAILED".*} [1-9]/m)
  })

  test('an account, known or not, is throttled after five failures with growing delays; a link still works', async () => {
    const { email, id } = await withPassword()
    const owner = await newOperator(gateway, [{ app: '*', role: 'owner' }])
    for (const given of [email, `${randomUUID()}@example.com`]) {
      for (let failure = 0; failure < 5; failure++) {
        const attempt = { address: `198.51.100.${failure}` }
        await beginAttempt(gateway.chat, given, attempt)
      }
      const { status, body, headers } = await enter(given, password)
      assert.deepEqual([status, body.error.code, headers.get('retry-after')], [429, 'TOO_MANY_REQUESTS', '15'])
    }
    const waits: number[] = []
    for (const address of ['198.51.100.7', '198.51.100.8', '198.51.100.9']) {
      const over = { $set: { waitUntil: new Date(0) } }
      await gateway.chat.db.signInFailures.updateOne({ _id: `account ${digest(email)}` }, over)
      await beginAttempt(gateway.chat, email, { address })
      const early = await beginAttempt(gateway.chat, email, { address }).catch((error: unknown) => error)
      assert.ok(early instanceof ApiError)
      waits.push(Math.round((early.details.retryAfterMS ?? 0) / 1_000))
    }
    assert.deepEqual(waits, [30, 60, 120])
    const { link } = (await owner.call('POST', `/operators/${id}/reset`)).body.result
    const answer = await gateway.anonymous('POST', '/operator/link', { token: link })
    assert.equal(await seen(open(answer)), 200)
  })

  test('an address is throttled after twenty failures over many accounts; successes do not count', async () => {
    const visitor = { address: '2001:db8::1' }
    for (let n = 0; n < 30; n++) {
      await (await beginAttempt(gateway.chat, `${randomUUID()}@example.com`, visitor)).succeeded()
    }
    for (let n = 0; n < 20; n++) await beginAttempt(gateway.chat, `${randomUUID()}@example.com`, visitor)
    const sameBlock = { address: '2001:db8::2' }
    await assert.rejects(beginAttempt(gateway.chat, 'x@example.com', sameBlock), { code: 'TOO_MANY_REQUESTS' })
    await beginAttempt(gateway.chat, 'x@example.com', { address: '2001:db8:1::1' })
  })

  test('wrong links count against the address too', async () => {
    const { link } = await invite(gateway, viewer())
    const follow = (token: string) => gateway.anonymous('POST', '/operator/link', { token })
    for (let n = 0; n < 20; n++) assert.equal((await follow(`ol_${n}`)).status, 401)
    assert.equal((await follow(link)).body.error.code, 'TOO_MANY_REQUESTS')
  })

  test('with an authenticator each code works once; the password or an old session alone is not enough', async () => {
    const operator = await withPassword()
    const other = open(await enter(operator.email, password))
    const { secret, url } = (await operator.call('POST', '/operator/totp', {})).body.result
    assert.match(url, /^otpauth:\/\/totp\/Parley:.*secret=/)
    assert.equal((await operator.call('POST', '/operator/totp', { code: '000000' })).status, 401)
    const earlier = code(secret, Date.now() - 30_000)
    assert.equal((await operator.call('POST', '/operator/totp', { code: earlier })).body.result.isOn, true)
    assert.deepEqual([await seen(operator), await seen(other)], [200, 401])
    assert.equal((await enter(operator.email, password)).body.error.code, 'TOTP_REQUIRED')
    assert.equal((await enter(operator.email, 'wrong password', code(secret))).body.error.code, 'SIGN_IN_FAILED')
    assert.equal((await enter(operator.email, password, earlier)).status, 401)
    const now = code(secret)
    const both = await Promise.all([enter(operator.email, password, now), enter(operator.email, password, now)])
    assert.equal(both.filter(({ status }) => status === 200).length, 1)
    assert.equal((await operator.call('DELETE', '/operator/totp', { code: now })).status, 401)
    assert.equal(totpStep(secret, code(secret, Date.now() - 120_000)), undefined)
    const next = code(secret, Date.now() + 30_000)
    assert.deepEqual((await operator.call('DELETE', '/operator/totp', { code: next })).body.result, { isOn: false })
    assert.equal((await enter(operator.email, password)).status, 200)
  })

  test('ten recovery codes each replace a code once; new ones replace them; the audit log shows their use', async () => {
    const operator = await withPassword()
    const { secret } = (await operator.call('POST', '/operator/totp', {})).body.result
    const earlier = code(secret, Date.now() - 30_000)
    const { recoveryCodes } = (await operator.call('POST', '/operator/totp', { code: earlier })).body.result
    const [first, second, third] = recoveryCodes as [string, string, string]
    assert.equal(new Set(recoveryCodes).size, 10)
    const stored = JSON.stringify(await gateway.chat.db.operators.find().toArray())
    for (const each of recoveryCodes) assert.ok(!stored.includes(each.replaceAll('-', '')) && !stored.includes(each))

    assert.equal((await enter(operator.email, 'wrong password', first)).status, 401)
    const both = await Promise.all([enter(operator.email, password, first), enter(operator.email, password, first)])
    assert.equal(both.filter(({ status }) => status === 200).length, 1)
    assert.equal((await enter(operator.email, password, first)).body.error.code, 'SIGN_IN_FAILED')
    const entered = await enter(operator.email, password, second.toUpperCase().replaceAll('-', ''))
    assert.equal(entered.body.result.operator.recoveryCodes, 8)
    const entries = await gateway.chat.db.audit.find({ action: 'signIn' }).toArray()
    assert.equal(entries.filter(({ after }) => after?.includes('recoveryCode')).length, 2)

    assert.equal((await operator.call('POST', '/operator/recovery-codes', { code: third })).status, 400)
    const renewed = await operator.call('POST', '/operator/recovery-codes', { code: code(secret) })
    const [fresh] = renewed.body.result.recoveryCodes
    assert.equal((await enter(operator.email, password, third)).status, 401)
    assert.equal((await operator.call('DELETE', '/operator/totp', { code: third })).status, 401)
    assert.deepEqual((await operator.call('DELETE', '/operator/totp', { code: fresh })).body.result, { isOn: false })
    assert.equal((await operator.call('POST', '/operator/recovery-codes', { code: '000000' })).status, 409)
    for (const bad of ['12345', 'aaaa-bbbb', 'q2ab-7xmd-kz5t-h3w1'])
      assert.equal((await enter(operator.email, password, bad)).status, 400, bad)
  })

  test('a session that guesses the password is throttled, also after setting up and removing an authenticator', async () => {
    const { call } = await withPassword()
    const guess = () => call('POST', '/operator/password', { current: 'a wrong password', password })
    for (let i = 0; i < 4; i++) assert.equal((await guess()).status, 401)
    const { secret } = (await call('POST', '/operator/totp', {})).body.result
    const { recoveryCodes } = (await call('POST', '/operator/totp', { code: code(secret) })).body.result
    assert.equal((await call('DELETE', '/operator/totp', { code: recoveryCodes[0] })).status, 200)
    assert.equal((await guess()).status, 401)
    assert.equal((await guess()).status, 429)
  })

  test('changing the password requires the current one, and ends every other session on every gateway', async () => {
    const operator = await withPassword()
    const here = open(await enter(operator.email, password))
    const there = open(await enter(operator.email, password))
    const wrong = { current: 'wrong password', password: 'another horse battery' }
    assert.equal((await here.call('POST', '/operator/password', wrong)).body.error.code, 'SIGN_IN_FAILED')
    assert.equal((await here.call('POST', '/operator/password', { password: wrong.password })).status, 401)
    assert.equal((await here.call('POST', '/operator/password', { current: password, password: 'short' })).status, 400)
    const changed = await here.call('POST', '/operator/password', { ...wrong, current: password })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual([await seen(here), await seen(there), await seen(open(changed))], [401, 401, 200])
    const elsewhere = pageOf(another, there.cookie, there.csrf)
    assert.equal(await seen(elsewhere), 401)
    assert.equal((await enter(operator.email, password)).status, 401)
  })

  test('an ended session is 401: signed out, ended in the list, idle, too old, or its operator changed, reset or removed', async () => {
    const owner = await newOperator(gateway, [{ app: '*', role: 'owner' }])
    const { operatorSessions } = gateway.chat.db
    const past = { expiresAt: new Date(Date.now() - 1) }
    const role = { roles: [{ app: gateway.app, role: 'support' }] }
    for (const [what, end] of Object.entries({
      'signed out': ({ call }: TestOperator) => call('DELETE', '/operator/session'),
      idle: ({ id }: TestOperator) => operatorSessions.updateOne({ operator: id }, { $set: past }),
      'another role': ({ id }: TestOperator) => owner.call('PUT', `/operators/${id}`, role),
      reset: ({ id }: TestOperator) => owner.call('POST', `/operators/${id}/reset`),
      removed: ({ id }: TestOperator) => owner.call('DELETE', `/operators/${id}`),
    })) {
      const operator = await newOperator(gateway, viewer())
      const elsewhere = pageOf(another, operator.cookie, operator.csrf)
      assert.deepEqual([await seen(operator), await seen(elsewhere)], [200, 200], what)
      await end(operator)
      assert.deepEqual([await seen(operator), await seen(elsewhere)], [401, 401], what)
      assert.equal((await operator.call('GET', '/operator/session')).body.error.code, 'INVALID_SESSION')
    }
    const operator = await withPassword()
    const other = open(await enter(operator.email, password))
    const { data } = (await operator.call('GET', '/operator/sessions')).body.result
    assert.deepEqual(
      data.map(({ isCurrent, by, address }: Record<string, unknown>) => [isCurrent, by, address]),
      [
        [false, 'password', '127.0.0.1'],
        [true, 'link', '127.0.0.1'],
      ],
    )
    assert.equal((await owner.call('DELETE', `/operator/sessions/${data[0].id}`)).body.error.code, 'SESSION_NOT_FOUND')
    assert.equal((await operator.call('DELETE', `/operator/sessions/${data[0].id}`)).status, 200)
    assert.deepEqual([await seen(other), await seen(operator)], [401, 200])
    assert.equal((await gateway.anonymous('GET', '/operator/session')).status, 401)
  })

  test('a session ends after its idle time, and at its maximum age at the latest', async () => {
    const short = await gateway.another({ console: { sessions: { idleMS: 3_600_000, longestMS: 7_200_000 } } })
    const operator = await newOperator(short, viewer())
    const { operatorSessions } = gateway.chat.db
    const startMS = Date.now()
    const at = (minutes: number) => new Date(startMS + minutes * 60_000)
    const set = (minutes: number) =>
      operatorSessions.updateOne({ operator: operator.id }, { $set: { lastSeenAt: at(-5), endsAt: at(minutes) } })
    await set(30)
    await operator.call('GET', '/operator/session')
    const first = await operatorSessions.findOne({ operator: operator.id })
    assert.ok(first && first.lastSeenAt >= at(0) && first.expiresAt.getTime() - startMS <= 3_600_000 + 60_000)
    await set(90)
    for (const path of ['/operator/session', '/admin/rooms'])
      assert.equal((await operator.call('GET', path, undefined, { 'parley-unattended': 'true' })).status, 200)
    const unattended = await operatorSessions.findOne({ operator: operator.id })
    assert.deepEqual([unattended?.lastSeenAt, unattended?.expiresAt], [at(-5), first.expiresAt])
    await operator.call('GET', '/operator/session')
    const second = await operatorSessions.findOne({ operator: operator.id })
    assert.ok(second && second.expiresAt >= at(59) && second.expiresAt < at(90))
    await short.stop()
  })

  test('the cookie is __Host-, Secure, HttpOnly, SameSite=Strict; on plain loopback it has another name and is not Secure', async () => {
    const { link } = await invite(gateway, viewer())
    const { headers } = await gateway.anonymous('POST', '/operator/link', { token: link })
    assert.match(headers.getSetCookie().join(), /^parley-operator=os_[\w-]{43}; .*HttpOnly; SameSite=Strict$/)
    const second = await invite(gateway, viewer())
    const set = await setCookies(gateway.url, 'chat.example.com', { token: second.link })
    assert.match(set.join(), /^__Host-parley=os_[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/)
  })
})

/** The cookies set by a sign-in with a link under another host name. */
function setCookies(url: string, host: string, body: object): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' }
    request(`${url}/operator/link`, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.headers['set-cookie'] ?? [])
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })
}
