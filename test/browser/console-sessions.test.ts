import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually } from '../platform.ts'
import { openPage } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { type ConsoleOfDeployment, consoleOf } from './console-tab.ts'

const password = 'correct horse battery staple'
/** Chromium logs this for each failed request. */
const refused = /Failed to load resource/

describe.skipIf(isChromiumMissing())('the console: sessions', () => {
  let deployment: Deployment
  let browser: Browser
  let parley: ConsoleOfDeployment
  let base: string
  let first: string
  let second: string

  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    parley = await consoleOf(deployment, browser)
    base = `${parley.url}/console/apps/${encodeURIComponent(parley.app)}`
    ;[first, second] = [await newOperator('owner'), await newOperator('viewer')]
    await deployment.platform.newUser('alice', { nickname: 'Alice' })
    const bob = await deployment.platform.newUser('bob', { nickname: 'Bob' })
    await deployment.platform.newRoom(['alice', 'bob'], { _id: 'friends', name: 'Friends' })
    await bob.call('POST', '/rooms/friends/message', { message: 'private', messageType: 'text' })
  })
  afterAll(() => deployment.stop())

  /** An operator with a password; returns the e-mail. */
  async function newOperator(role: string): Promise<string> {
    const operator = await parley.newOperator(role)
    assert.equal((await operator.call('POST', '/operator/password', { password })).status, 200)
    return operator.email
  }
  const open = (path: string) => openPage(browser, base + path, { allow: refused })
  const signIn = async (page: Page, email: string) => {
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const signInTitle = (page: Page) => page.getByRole('heading', { name: 'Sign in to the console' })

  test('a session that ends loses nothing typed, and leads back to the same address', async () => {
    const page = await open('/users/alice')
    await signIn(page, first)
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Alice Half')
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await signInTitle(page).waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await signIn(page, first)
    await dialog.waitFor()
    assert.equal(page.url(), `${base}/users/alice`)
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Alice Half')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Alice Half' }).waitFor()

    // Also what is read again once the operator is back.
    await page.goto(`${base}/rooms/friends`)
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: 'Read the conversation' }).click()
    await page.getByRole('log').getByText('private').waitFor()
    await page.context().clearCookies()
    await signInTitle(page).waitFor()
    await page.getByRole('log').waitFor({ state: 'hidden' })
    await signIn(page, first)
    await page.getByRole('log').getByText('private').waitFor()
  })

  test('an open conversation stays where it was read when its operator signs in again', async () => {
    const { platform } = deployment
    await platform.newRoom(['alice'], { _id: 'diary' })
    const lines = Array.from({ length: 70 }, (_, n) => `line ${n}`)
    await platform.sendAll('diary', 'alice', lines)
    const page = await open('/rooms/diary')
    await signIn(page, first)
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: 'Read the conversation' }).click()
    const log = page.getByRole('log')
    await log.getByText('line 69').waitFor()
    const oldest = log.getByText('line 0', { exact: true })
    // The list may still be scrolling to its end, which takes it some frames.
    await eventually('the oldest message', () =>
      log.evaluate(async (element) => {
        element.scrollTo(0, 0)
        for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame)
        return element.scrollTop === 0
      }),
    )
    await oldest.waitFor()
    await page.context().clearCookies()
    await signInTitle(page).waitFor()
    await platform.sendAll('diary', 'alice', ['meanwhile'])
    const poll = () => page.waitForResponse((response) => response.ok() && response.url().includes('updatedAt'))
    const polled = poll()
    await signIn(page, first)
    await log.waitFor()
    await polled
    // The next one begins once the messages of the first are shown.
    await poll()
    assert.ok(await oldest.isVisible())
    await log.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await log.getByText('meanwhile').waitFor()
  })

  test('a sign-in or sign-out in one tab holds in all, and no operator sees the data of another', async () => {
    const page = await open('/rooms/friends')
    await signIn(page, first)
    await page.getByLabel('Reason', { exact: true }).fill('Half a reason')
    const other = await page.context().newPage()
    await other.goto(`${base}/users`)
    await other.getByRole('link', { name: 'Bob' }).waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await signInTitle(page).waitFor()
    await signIn(other, first)
    await page.getByRole('button', { name: 'Read the conversation' }).click()
    await page.getByRole('log').getByText('private').waitFor()

    await other.getByRole('button', { name: 'Sign out' }).click()
    await signInTitle(page).waitFor()
    await signIn(other, second)
    await page.getByText('Viewer', { exact: true }).waitFor()
    assert.equal(await page.getByText('private').count(), 0)
    assert.equal(await page.getByText('Half a reason').count(), 0)
  })

  test('a sign-in with the identity provider after the session has ended, in a tab of its own, loses nothing typed', async () => {
    const operator = await parley.newOperator('owner')
    const page = await operator.open('/users/alice', { allow: refused })
    const context = page.context()
    const [cookie] = await context.cookies()
    assert.ok(cookie)
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Alice by SSO')
    await context.clearCookies()
    await context.route('**/operator/methods', (route) =>
      route.fulfill({ json: { result: { password: true, sso: true } } }),
    )
    await context.route('**/operator/oidc', async (route) => {
      await context.addCookies([cookie])
      await route.fulfill({ status: 302, headers: { location: '/console' } })
    })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await signInTitle(page).waitFor()
    const signedIn = context.waitForEvent('page').then((tab) => tab.waitForEvent('close'))
    await page.getByRole('link', { name: 'Sign in with your identity provider' }).click()
    await dialog.waitFor()
    await signedIn
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Alice by SSO')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Alice by SSO' }).waitFor()
  })

  test.for([
    ['SIGN_IN_FAILED', 'The identity provider did not sign you in, or you have no account here.'],
    ['SERVICE_UNAVAILABLE', 'The identity provider does not respond. Try again later.'],
    ['TOO_MANY_REQUESTS', 'Too many attempts. Wait a moment.'],
  ])('a sign-in with the identity provider that ends with %s says why', async ([code, said = '']) => {
    const page = await openPage(browser, `${parley.url}/console#error=${code}`, { allow: refused })
    await page.getByRole('alert').getByText(said).waitFor()
    assert.doesNotMatch(page.url(), /#/)
  })

  test('signing out at a gateway that fails says so', async () => {
    const page = await open('/users')
    await signIn(page, first)
    await page.route('**/operator/session', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/operator/session')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInTitle(page).waitFor()
  })
})
