import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { OperatorRoles } from '@parley/contracts/resources/operator'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createIdentityProvider, type SsoSettings } from '../../console/identity-provider.ts'
import {
  type Account,
  createBrowser,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../console/test-identity-provider.ts'
import { invite, pageOf, type TestOperator } from '../../console/test-operator.ts'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('operators sign in through an OpenID Connect server', () => {
  let provider: TestIdentityProvider
  let base: TestGateway
  let byHand: TestGateway
  let byClaim: TestGateway
  beforeAll(async () => {
    provider = await startIdentityProvider()
    base = await startTestGateway()
    const start = async (more: Partial<SsoSettings> = {}) => {
      const sso = createIdentityProvider({
        ...{ issuer: provider.issuer, ...provider.client, scopes: 'openid email profile groups' },
        ...{ trustEmail: false, roles: [], ...more },
      })
      const gateway = await base.another({ console: { sso } })
      provider.allow(`${gateway.url}/operator/oidc/callback`)
      return gateway
    }
    byHand = await start()
    byClaim = await start({
      trustEmail: true,
      rolesClaim: 'groups',
      roles: [
        { value: 'agents', app: base.app, role: 'support' },
        { value: 'admins', app: '*', role: 'owner' },
      ],
    })
  })
  afterAll(async () => {
    await byClaim.stop()
    await byHand.stop()
    await base.stop()
    await provider.stop()
  })

  const newEmail = () => `${randomUUID()}@example.com`
  const verified = (email: string) => ({ email, email_verified: true })

  /** Follows a browser's redirects; returns the last address and, after a sign-in, the calls of its page. */
  async function enter(gateway: TestGateway, subject: string, account: Account) {
    provider.accounts.set(subject, account)
    provider.setSubject(subject)
    const browser = createBrowser()
    const seen = await browser.follow(`${gateway.url}/operator/oidc`, ({ pathname }) => pathname === '/console')
    const last = seen.at(-1)
    const cookie = browser.cookies(gateway.url)
    const { body, status } = await gateway.anonymous('GET', '/operator/session', undefined, { cookie })
    const page = status === 200 ? pageOf(gateway, cookie, body.result.csrfToken) : undefined
    return { seen, error: last?.hash ?? '', cookie, page, session: body.result }
  }
  const statusOf = async (page: Pick<TestOperator, 'call'> | undefined, path = '/admin/rooms') =>
    (await page?.call('GET', path))?.status

  test('first by verified e-mail (code flow with PKCE, state and nonce), later by account ID only', async () => {
    const roles: OperatorRoles = [{ app: base.app, role: 'viewer' }]
    const { email, link } = await invite(base, roles)
    const subject = randomUUID()
    const { seen, page, session, cookie } = await enter(byHand, subject, verified(email.toUpperCase()))
    assert.equal(session.operator.email, email)
    assert.deepEqual([await statusOf(page), await statusOf(page, '/admin/keys')], [200, 403])
    assert.doesNotMatch(cookie, /oidc/)
    const asked = seen.find(({ origin }) => origin === provider.issuer)?.searchParams
    assert.deepEqual([asked?.get('response_type'), asked?.get('code_challenge_method')], ['code', 'S256'])
    for (const name of ['state', 'nonce', 'code_challenge']) assert.match(asked?.get(name) ?? '', /^[\w-]{43}$/, name)
    const [listed] = (await page?.call('GET', '/operator/sessions'))?.body.result.data ?? []
    assert.equal(listed.by, 'sso')
    // The link sent to the address has ended.
    assert.equal((await base.anonymous('POST', '/operator/link', { token: link })).status, 401)
    // From now on the account counts, whatever its address; another one with the address is refused.
    assert.equal((await enter(byHand, subject, verified(newEmail()))).session.operator.email, email)
    assert.equal((await enter(byHand, randomUUID(), verified(email))).error, '#error=SIGN_IN_FAILED')
  })

  test("the first sign-in removes the password and earlier sessions, which may be another person's", async () => {
    const { email, link } = await invite(base, [{ app: base.app, role: 'viewer' }])
    const { body, headers } = await base.anonymous('POST', '/operator/link', { token: link })
    const first = pageOf(base, headers.getSetCookie()[0]?.split(';')[0] ?? '', body.result.csrfToken)
    const password = 'correct horse battery staple'
    assert.equal((await first.call('POST', '/operator/password', { password })).status, 200)
    const byPassword = () => base.anonymous('POST', '/operator/session', { email, password })
    assert.equal((await byPassword()).status, 200)
    assert.equal(await statusOf((await enter(byHand, randomUUID(), verified(email))).page), 200)
    assert.equal((await byPassword()).status, 401)
  })

  test('unknown and unverified addresses are refused', async () => {
    const { email } = await invite(base, [{ app: base.app, role: 'viewer' }])
    for (const account of [verified(newEmail()), { email, email_verified: false }, { email }, {}]) {
      const { error, page } = await enter(byHand, randomUUID(), account)
      assert.deepEqual([error, page], ['#error=SIGN_IN_FAILED', undefined], JSON.stringify(account))
    }
  })

  test('only the browser that started can finish, once, with its state', async () => {
    const { email } = await invite(base, [{ app: base.app, role: 'viewer' }])
    const subject = randomUUID()
    provider.accounts.set(subject, verified(email))
    provider.setSubject(subject)
    const isBack = ({ pathname }: URL) => pathname === '/operator/oidc/callback'
    const refused = '/console#error=SIGN_IN_FAILED'
    const begin = async () => {
      const browser = createBrowser()
      const back = (await browser.follow(`${byHand.url}/operator/oidc`, isBack)).at(-1)
      assert.ok(back)
      return { browser, back }
    }
    const { browser, back } = await begin()
    const others = createBrowser()
    assert.equal((await others.get(back.href)).headers.get('location'), refused)
    const forged = new URL(back)
    forged.searchParams.set('state', 'x')
    const flow = browser.cookies(byHand.url)
    const answer = await fetch(forged, { redirect: 'manual', headers: { cookie: flow } })
    assert.equal(answer.headers.get('location'), refused)
    const entered = await browser.get(back.href)
    assert.equal(entered.headers.get('location'), '/console')
    assert.match(entered.headers.getSetCookie().join('\n'), /^parley-operator=os_.*HttpOnly; SameSite=Strict$/m)
    const again = await fetch(back, { redirect: 'manual', headers: { cookie: flow } })
    assert.equal(again.headers.get('location'), refused)
    const begun = await fetch(`${byHand.url}/operator/oidc`, { redirect: 'manual' })
    assert.match(begun.headers.getSetCookie().join(), /^parley-oidc=.*Max-Age=600;.*HttpOnly; SameSite=Lax$/)
  })

  test('a claim sets the roles at each sign-in; removing them ends the sessions', async () => {
    const [subject, email] = [randomUUID(), newEmail()]
    const { page, session } = await enter(byClaim, subject, { email, name: 'Olivia', groups: ['agents', 'others'] })
    assert.deepEqual(
      session.apps.map(({ app, role }: Record<string, string>) => [app, role]),
      [[base.app, 'support']],
    )
    assert.equal(session.operator.name, 'Olivia')
    const changed = await enter(byClaim, subject, { email, groups: ['admins'] })
    assert.deepEqual([changed.session.isOwnerOfAll, await statusOf(page)], [true, 401])
    assert.equal(await statusOf(changed.page), 200)
    const taken = await enter(byClaim, subject, { email, groups: ['others'] })
    assert.deepEqual([taken.error, await statusOf(changed.page)], ['#error=SIGN_IN_FAILED', 401])
    assert.equal((await enter(byClaim, randomUUID(), { email: newEmail(), groups: [] })).page, undefined)
  })

  test('a claim does not change operators added by hand', async () => {
    const { email } = await invite(base, [{ app: base.app, role: 'viewer' }])
    const { session } = await enter(byClaim, randomUUID(), { email, groups: ['admins'] })
    assert.deepEqual([session.apps[0].role, session.isOwnerOfAll], ['viewer', false])
  })

  test('an unavailable provider leads back to the sign-in screen, a missing one is 404', async () => {
    const issuer = 'http://127.0.0.1:1'
    const settings = { issuer, clientId: 'x', scopes: 'openid', trustEmail: false, roles: [] }
    const away = await base.another({ console: { sso: createIdentityProvider(settings) } })
    const begun = await createBrowser().get(`${away.url}/operator/oidc`)
    assert.equal(begun.headers.get('location'), '/console#error=SERVICE_UNAVAILABLE')
    assert.deepEqual(begun.headers.getSetCookie(), [])
    await away.stop()
    assert.equal((await base.anonymous('GET', '/operator/oidc')).status, 404)
    assert.equal((await byHand.anonymous('GET', '/operator/methods')).body.result.sso, true)
  })
})
