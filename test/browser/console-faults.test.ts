import assert from 'node:assert/strict'
import type { Browser, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually } from '../platform.ts'
import { openPage } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { type ConsoleOfDeployment, type ConsoleOperator, consoleOf } from './console-tab.ts'

/** Chromium logs this for each failed request. */
const refused = /Failed to load resource/
const password = 'correct horse battery staple'
/** The views that read something, and whether they first ask for a reason. */
const views: [address: string, asksReason?: true][] = [
  ['overview'],
  ['users'],
  ['users/alice'],
  ['rooms'],
  ['rooms/birds?tab=members'],
  ['rooms/birds?tab=settings'],
  ['moderation', true],
  ['moderation?tab=search&keyword=penguin', true],
  ['moderation?tab=words'],
  ['moderation?tab=hook'],
  ['timeline?user=alice'],
  ['delivery'],
  ['delivery?tab=dead', true],
  ['delivery?tab=push'],
  ['delivery?tab=devices'],
  ['developers'],
  ['developers?tab=config'],
  ['developers?tab=events', true],
  ['jobs'],
  ['settings'],
  ['settings?tab=app'],
  ['audit'],
  ['operators'],
]

describe.skipIf(isChromiumMissing())('the console: responses that fail', () => {
  let browser: Browser
  let deployment: Deployment
  let parley: ConsoleOfDeployment
  let owner: ConsoleOperator

  beforeAll(async () => {
    ;[browser, deployment] = await Promise.all([startChromium(), deploy(1)])
    parley = await consoleOf(deployment, browser)
    ;({ owner } = parley)
    await deployment.platform.newUser('alice', { nickname: 'Alice' })
    await deployment.platform.newRoom(['alice'], { _id: 'birds', name: 'Bird watchers' })
  })
  afterAll(() => deployment.stop())

  const giveReason = async (page: Page) => {
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: /^Read/ }).click()
  }
  /** Handles the calls of an app's data; those of the session and the console's files continue. */
  const handleCalls = async (page: Page, handle: (route: Route) => Promise<void>) => {
    const ofApp = /^\/(?:admin|config|operators|rooms|client|users)\b/
    await page.route(({ pathname }) => ofApp.test(pathname), handle)
  }
  /** Deadlines of calls pass only when the test lets them. */
  const holdDeadlines = (page: Page) =>
    page.addInitScript(() => {
      const held: AbortController[] = []
      AbortSignal.timeout = () => {
        const deadline = new AbortController()
        held.push(deadline)
        return deadline.signal
      }
      const pass = () => held.splice(0).forEach((deadline) => deadline.abort(new DOMException('', 'TimeoutError')))
      Object.assign(window, { passDeadlines: pass })
    })
  const passDeadlines = (page: Page) =>
    page.evaluate(() => (window as unknown as { passDeadlines: () => void }).passDeadlines())
  const failureOf = (page: Page, said: RegExp) => page.getByRole('alert').filter({ hasText: said })

  test.for(views)('%s says that there is no response, and can be tried again', async ([address, asksReason]) => {
    const page = await owner.open('/account', { allow: refused })
    const base = page.url().replace(/account$/, '')
    await holdDeadlines(page)
    await handleCalls(page, async () => {})
    await page.goto(base + address)
    if (asksReason) await giveReason(page)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const failure = failureOf(page, /Parley has not answered in time/)
    await eventually('a failure', async () => {
      await passDeadlines(page)
      return (await failure.count()) > 0
    })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const retry = failure.getByRole('button', { name: 'Try again' })
    await eventually('no failure', async () => {
      if ((await failure.count()) > 0) await retry.first().click()
      return (await failure.count()) === 0
    })
  })

  test.for(['jobs', 'settings'])('%s says that a response is the page of a proxy', async (address) => {
    const page = await owner.open('/overview', { allow: refused })
    await handleCalls(page, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Sign in to the Wi-Fi</title>' }),
    )
    await page.goto(page.url().replace(/overview$/, address))
    const failure = failureOf(page, /The response is not from Parley/)
    await failure.waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await failure.getByRole('button', { name: 'Try again' }).click()
    await failure.waitFor({ state: 'hidden' })
  })

  test('after 429 the console waits to be asked again, and says for how long', async () => {
    const page = await owner.open('/overview', { allow: refused })
    let calls = 0
    await page.route('**/admin/jobs*', (route) => {
      calls++
      const json = { error: { code: 'TOO_MANY_REQUESTS', message: 'Too many requests' } }
      return route.fulfill({ status: 429, headers: { 'retry-after': '17' }, json })
    })
    await page.goto(page.url().replace(/overview$/, 'jobs'))
    const failure = failureOf(page, /Too many requests: wait before you try again/)
    await failure.getByText('Try again in 17 s', { exact: true }).waitFor()
    // One by the view's preload, and one by the view.
    assert.ok(calls <= 2, String(calls))
  })

  test('an action without a response says to check it, and keeps what was typed', async () => {
    const page = await owner.open('/overview', { allow: refused })
    await holdDeadlines(page)
    await page.goto(page.url().replace(/overview$/, 'users/alice'))
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Alice Half')
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await handleCalls(page, async () => {})
    await dialog.getByRole('button', { name: 'Save' }).click()
    await sent
    await passDeadlines(page)
    await dialog.getByText('check whether it took effect').waitFor()
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Alice Half')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Alice Half' }).waitFor()
  })

  test('requests of views that refresh by themselves do not postpone the idle end of the session', async () => {
    const page = await owner.open('/account')
    await page.clock.install()
    await page.goto(page.url().replace(/account$/, 'overview'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    const isUnattended = (request: Request) => request.headerValue('parley-unattended')
    const next = () => page.waitForRequest('**/admin/overview*')
    const later = next()
    await page.clock.fastForward(70_000)
    assert.equal(await isUnattended(await later), 'true')
    await page.mouse.move(100, 100)
    await page.mouse.move(110, 110)
    const attended = next()
    await page.clock.runFor(15_000)
    assert.equal(await isUnattended(await attended), null)
  })

  test('a session that cannot be read again keeps the view and all that has been typed', async () => {
    const page = await owner.open('/users/alice', { allow: refused })
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const name = page.getByRole('dialog').getByLabel('Name')
    await name.fill('Alice Typed')
    await page.route('**/operator/session', (route) => route.fulfill({ status: 500, json: {} }))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    await page.evaluate(() => new BroadcastChannel('parley-console-session').postMessage('another'))
    const failure = page.getByRole('alert').filter({ hasText: 'Something went wrong' })
    await failure.waitFor()
    await page.unrouteAll()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await failure.waitFor({ state: 'hidden' })
    assert.equal(await name.inputValue(), 'Alice Typed')
  })

  test('the event tail is tried again at once when asked to, before its pause ends', async () => {
    const page = await owner.open('/developers?tab=events', { allow: refused })
    const json = { error: { code: 'OVERLOADED', message: 'Overloaded' } }
    await page.route('**/admin/events*', (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '600' }, json }),
    )
    await giveReason(page)
    const failure = page.getByRole('alert').filter({ hasText: 'Try again in 10 minutes' })
    await failure.waitFor()
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    await page.unrouteAll()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
  })

  test('sign-in says how long to wait; the field for a code stays while another is typed; its methods can be read again', async () => {
    const page = await openPage(browser, `${parley.url}/console/`, { allow: refused })
    await page.getByRole('textbox', { name: 'E-mail' }).fill('olivia@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    const answer = (status: number, code: string, headers = {}) =>
      page.route('**/operator/session', (route) =>
        route.fulfill({ status, headers, json: { error: { code, message: code } } }),
      )
    const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
    await answer(401, 'TOTP_REQUIRED')
    await signIn.click()
    const code = page.getByLabel('Authenticator code')
    await code.fill('123456')
    await answer(401, 'SIGN_IN_FAILED')
    await signIn.click()
    await page.getByText('E-mail, password or code is wrong.').waitFor()
    await code.fill('')
    assert.ok(await code.isVisible())
    await code.fill('234567')
    await answer(429, 'TOO_MANY_REQUESTS', { 'retry-after': '15' })
    await signIn.click()
    await page.getByText('Too many attempts. Try again in 15 s.').waitFor()
    assert.equal(await code.inputValue(), '234567')

    await page.unroute('**/operator/session')
    await page.route('**/operator/methods', (route) => route.fulfill({ status: 429, json: {} }))
    await page.reload()
    const failure = page.getByRole('alert').filter({ hasText: 'Too many requests' })
    await failure.waitFor()
    await page.unroute('**/operator/methods')
    await failure.getByRole('button', { name: 'Try again' }).click()
    await failure.waitFor({ state: 'hidden' })
  })
})
