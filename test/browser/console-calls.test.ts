import assert from 'node:assert/strict'
import type { Browser, Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually } from '../platform.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { type ConsoleOperator, consoleOf } from './console-tab.ts'

/** Chromium logs this for each failed request or script. */
const refused = /Failed to (?:load resource|fetch)/

describe.skipIf(isChromiumMissing())('the console: its calls', () => {
  let browser: Browser
  let deployment: Deployment
  let owner: ConsoleOperator
  let room: string

  beforeAll(async () => {
    ;[browser, deployment] = await Promise.all([startChromium(), deploy(1)])
    ;({ owner } = await consoleOf(deployment, browser))
    const { platform } = deployment
    const alice = await platform.newUser('alice', { nickname: 'Alice Müller' })
    room = await platform.newRoom(['alice'], { _id: 'birds', name: 'Bird watchers' })
    await alice.call('POST', `/rooms/${room}/message`, { message: 'a penguin', messageType: 'text' })
  })
  afterAll(() => deployment.stop())

  const giveReason = async (page: Page) => {
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: /^Read/ }).click()
  }

  test.for([
    ['/developers?tab=config', '/admin/audit', '/config'],
    ['/users/alice', '/admin/clients/alice/rooms', '/admin/clients/alice'],
    ['/users/alice', '/admin/clients/alice/rooms'],
    ['/delivery?tab=calls', '/admin/webhooks/calls'],
    ['/delivery?tab=devices', '/admin/push/devices'],
    ['/developers', '/admin/keys'],
    ['/developers?tab=config', '/config'],
    ['/moderation?tab=hook', '/admin/moderation'],
    ['/jobs', '/admin/jobs'],
    ['/settings', '/config'],
    ['/audit', '/admin/audit'],
    ['/operators', '/operators'],
    ['/rooms/birds?tab=members', '/admin/rooms/birds/bans', '/admin/rooms/birds'],
  ] as const)('%s calls %s at once, while the session or another call is pending', async ([view, path, first]) => {
    const page = await owner.open('/overview')
    const address = page.url().replace('/overview', view)
    let answer: () => Promise<void> = async () => {}
    await page.route(`**${first ?? '/operator/session'}`, (route) => {
      answer = () => route.continue()
    })
    const called = page.waitForRequest((request) => new URL(request.url()).pathname === path)
    await page.goto(address)
    await called
    await answer()
    await page.getByRole('heading', { level: 1 }).waitFor()
  })

  test('a conversation reads its page and its latest change at the same time', async () => {
    const page = await owner.open(`/rooms/${room}`)
    const held: Route[] = []
    // The second read starts although the first has no response yet.
    await page.route(`**/admin/rooms/${room}/messages*`, async (route) => {
      held.push(route)
      if (held.length > 1) for (const each of held.splice(0)) await each.continue()
    })
    await giveReason(page)
    await page.getByRole('log').getByText('a penguin').waitFor()
  })

  test('found messages name their senders and rooms', async () => {
    const page = await owner.open('/moderation?tab=search&keyword=penguin')
    await giveReason(page)
    const found = page.getByRole('list', { name: 'Messages' })
    await found.getByRole('link', { name: 'Alice Müller' }).waitFor()
    await found.getByText('Bird watchers').waitFor()
    await page.goto(page.url().replace(/moderation.*/, `rooms/${room}?find=penguin`))
    await giveReason(page)
    await page.getByRole('complementary', { name: 'Found' }).getByText('Alice Müller').waitFor()
  })

  test('the explorer fills in an added key and the example of a body, sends what is typed, and shows exact numbers', async () => {
    const page = await owner.open('/developers', { allow: refused })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a key' }).click()
    await dialog.getByLabel('Name').fill('explorer')
    await dialog.getByLabel('messages:write').check()
    await dialog.getByRole('button', { name: 'Add a key' }).click()
    const key = await dialog.getByRole('textbox', { name: 'API key' }).inputValue()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Explorer', { exact: true }).click()
    assert.equal(await page.getByRole('textbox', { name: 'API key' }).inputValue(), key)
    await page.getByRole('combobox', { name: 'Operation' }).fill('POST /messages')
    await page.getByRole('option', { name: 'POST /messages', exact: true }).click()
    await page.getByText('Send a message to a room on behalf of a user').waitFor()
    await page.getByRole('combobox', { name: 'Operation' }).press('Tab')
    await page.locator(':focus').and(page.getByLabel('Idempotency-Key')).waitFor()
    const body = page.getByLabel('Body (JSON)')
    assert.match(await body.inputValue(), /"room": "demo-room"/)
    const send = page.getByRole('button', { name: 'Call', exact: true })
    const message = `{"room":"${room}","sender":"alice","messageType":"order","message":{"id":12345678901234567890}}`
    await body.fill(message)
    await page.getByLabel('Idempotency-Key').fill('explored')
    await page.context().setOffline(true)
    await send.click()
    await page.getByRole('alert').getByText('Parley cannot be reached').waitFor()
    await page.context().setOffline(false)
    assert.equal(await body.inputValue(), message)
    const sent = page.waitForRequest(/messages$/)
    await send.click()
    assert.equal(await (await sent).headerValue('Idempotency-Key'), 'explored')
    await page.getByRole('status').getByText('"id": 12345678901234567890').waitFor()
  })

  test.for([
    [429, 'TOO_MANY_REQUESTS', 'Too many requests: wait before you try again'],
    [503, 'OVERLOADED', 'The server is busy: try again in a moment'],
  ] as const)('a view whose calls get %d %s says so in words', async ([status, code, said]) => {
    const page = await owner.open('/overview', { allow: refused })
    await page.route('**/admin/jobs', (route) => route.fulfill({ status, json: { error: { code, message: 'later' } } }))
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByRole('alert').getByText(said).waitFor()
    await page.unroute('**/admin/jobs')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No jobs').waitFor()
  })

  test('the event tail goes on after a final refusal once asked to', async () => {
    const page = await owner.open('/developers?tab=events', { allow: refused })
    const body = { RC: -1, RM: 'PERMISSION_DENIED', error: { code: 'PERMISSION_DENIED', message: 'not now' } }
    await page.route('**/admin/events*', (route) => route.fulfill({ status: 403, json: body }))
    await giveReason(page)
    const failure = page.getByRole('alert').filter({ hasText: 'not now' })
    await failure.getByText('Your role does not allow this').waitFor()
    await page.unroute('**/admin/events*')
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    assert.equal(await failure.count(), 0)
  })

  test('an action in a list runs once at a time, shows that it runs, and says why it failed', async () => {
    const page = await owner.open('/overview', { allow: refused })
    const call = {
      id: 'call',
      kind: 'webhook',
      event: 'MESSAGE',
      roomID: room,
      state: 'failed',
      tries: 1,
      createdAtMS: 1,
    }
    await page.route('**/admin/webhooks/calls?*', (route) => route.fulfill({ json: { result: { data: [call] } } }))
    await page.route('**/admin/webhooks/calls', (route) => route.fulfill({ json: { result: { data: [call] } } }))
    let answer: ((status: number) => Promise<void>) | undefined
    let count = 0
    await page.route('**/admin/webhooks/calls/call/retry', (route) => {
      count++
      answer = (status) => {
        answer = undefined
        const error = { code: 'SERVICE_UNAVAILABLE', message: 'not now' }
        return route.fulfill({ status, json: status === 200 ? { result: { id: 'call' } } : { error } })
      }
    })
    await page.goto(page.url().replace('overview', 'delivery'))
    const retry = page.getByRole('row', { name: /MESSAGE/ }).getByRole('button', { name: 'Retry' })
    await retry.dblclick()
    await eventually('the call', () => answer !== undefined)
    assert.ok(await retry.isDisabled())
    await answer?.(503)
    await page.getByRole('alert').getByText('not now').waitFor()
    await retry.click()
    await eventually('the second call', () => answer !== undefined)
    await answer?.(200)
    await page.getByRole('alert').getByText('Call queued again').waitFor()
    assert.equal(count, 2)
  })

  test('offline, an action and a read fail at once, and do not happen later', async () => {
    const page = await owner.open('/users/alice', { allow: refused })
    await page.getByRole('button', { name: 'End sessions' }).click()
    const dialog = page.getByRole('dialog')
    await page.context().setOffline(true)
    await dialog.getByRole('button', { name: 'End sessions' }).click()
    await dialog.getByText('Parley cannot be reached').waitFor()
    const calls: string[] = []
    page.on('request', (request) => calls.push(request.method()))
    await page.context().setOffline(false)
    const read = page.waitForResponse(/admin\/clients\/alice$/)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await read
    assert.ok(!calls.includes('DELETE'), calls.join(' '))

    await page.keyboard.press('Escape')
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('Parley cannot be reached').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  })

  test('a dialog closes with Escape, and returns the focus to what opened it', async () => {
    const page = await owner.open('/users/alice')
    const dialog = page.getByRole('dialog')
    const closes = async (opener: Locator) => {
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      assert.ok(await opener.evaluate((element) => element === document.activeElement))
    }
    const edit = page.getByRole('button', { name: 'Edit profile' })
    await edit.press('Enter')
    await closes(edit)
    const more = page.getByRole('button', { name: 'More actions' })
    await more.press('Enter')
    await page.getByRole('menuitem', { name: 'Erase' }).press('Enter')
    await closes(more)
    await edit.focus()
    await page.keyboard.press('Control+k')
    await closes(edit)

    // A token that is issued meanwhile is shown anyway: it replaces the user's own.
    let answer: (() => Promise<void>) | undefined
    await page.route('**/admin/clients', (route) => {
      answer = () => route.continue()
    })
    const issue = page.getByRole('button', { name: 'Issue token' })
    await issue.press('Enter')
    await dialog.getByRole('button', { name: 'Issue token' }).press('Enter')
    await eventually('the call', () => answer !== undefined)
    await closes(issue)
    await answer?.()
    await dialog.getByRole('textbox', { name: 'Token' }).waitFor()
    await closes(issue)
  })
})
