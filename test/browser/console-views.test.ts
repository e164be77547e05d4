import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually, type Platform, type PlatformUser } from '../platform.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { testActions } from './console-actions.ts'
import { type ConsoleOperator, consoleOf } from './console-tab.ts'

const env = { PARLEY_GATEWAY_JOB_AFTER_MS: '0' }
/** Chromium logs this for each failed request. */
const refused = /Failed to load resource/

describe.skipIf(isChromiumMissing())('the console: data that changes under a view', () => {
  let browser: Browser
  let deployment: Deployment
  let platform: Platform
  let owner: ConsoleOperator
  let alice: PlatformUser
  let bob: PlatformUser

  beforeAll(async () => {
    ;[browser, deployment] = await Promise.all([startChromium(), deploy(1, [], env)])
    ;({ platform } = deployment)
    ;({ owner } = await consoleOf(deployment, browser))
    alice = await platform.newUser('alice', { nickname: 'Alice' })
    bob = await platform.newUser('bob', { nickname: 'Bob' })
  })
  afterAll(() => deployment.stop())

  const newRoom = (name: string) => platform.newRoom(['alice', 'bob'], { _id: name, name, owner: 'alice' })
  const say = async (room: string, message: string, more = {}): Promise<string> =>
    String((await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more }))['_id'])
  const giveReason = async (page: Page) => {
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: /^Read/ }).click()
  }
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const done = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).first().waitFor()
  const inspect = async (path: string) => (await owner.call('GET', path)).body.result

  testActions(() => ({ owner, platform, newRoom }))

  test('each room shows its own messages after Back', async () => {
    await say(await newRoom('chess'), 'about chess')
    await say(await newRoom('poker'), 'about poker')
    const page = await owner.open('/rooms/chess')
    const log = page.getByRole('log', { name: 'Messages' })
    await giveReason(page)
    await log.getByText('about chess').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('poker')
    await page.getByRole('option', { name: /Open room poker/ }).click()
    await page.getByRole('heading', { name: 'poker' }).waitFor()
    await giveReason(page)
    await log.getByText('about poker').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'chess' }).waitFor()
    await log.getByText('about chess').waitFor()
    assert.equal(await log.getByText('about poker').count(), 0)
  })

  test('a reported thread message is shown in its thread, in the context, in the room and by its link', async () => {
    const room = await newRoom('threads')
    const root = await say(room, 'a question')
    const reply = await say(room, 'a rude answer', { replyTo: root, thread: true })
    await bob.call('POST', `/messages/${reply}/report`, { reason: 'rude' })
    const page = await owner.open('/moderation')
    await giveReason(page)
    await page.getByRole('button', { name: 'Show context' }).click()
    await giveReason(page)
    const wanted = (log: string) => page.getByRole('log', { name: log }).locator('.wanted')
    await wanted('Show context').getByText('a rude answer').waitFor()
    await page.getByRole('link', { name: 'Open in room' }).click()
    await wanted('Messages').getByText('a question').waitFor()
    await wanted('Thread').getByText('a rude answer').waitFor()
    const link = new URL(page.url()).searchParams
    assert.deepEqual([link.get('message'), link.get('thread'), link.get('reply')], [root, root, reply])
  })

  test('a link to a message in a short room is live', async () => {
    const room = await newRoom('short')
    const id = await say(room, 'the first')
    const page = await owner.open(`/rooms/${room}?message=${id}`)
    await giveReason(page)
    const log = page.getByRole('log', { name: 'Messages' })
    await log.locator('.wanted').getByText('the first').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await say(room, 'the second')
    await log.getByText('the second').waitFor()
  })

  test('the progress of an erasure outlasts the profile', async () => {
    await platform.newUser('carol', { nickname: 'Carol' })
    const page = await owner.open('/users/carol', { allow: refused })
    await page.getByRole('heading', { name: 'Carol' }).waitFor()
    const running = { state: 'running', progress: { done: 1, total: 2 } }
    await page.route('**/admin/jobs?id=*', (route) => route.fulfill({ json: { result: { data: [running] } } }))
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Erase' }).click()
    await page.getByRole('dialog').getByLabel('Type “carol” to confirm').fill('carol')
    await confirm(page, 'Erase')
    const progress = page.getByRole('dialog').getByText('1 of 2')
    await progress.waitFor()
    await page.getByText('No user found').waitFor({ timeout: 30_000 })
    await progress.waitFor()
    await page.unroute('**/admin/jobs?id=*')
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
  })

  test('saving one field of a room or user keeps what others changed meanwhile', async () => {
    const room = await newRoom('club')
    const page = await owner.open(`/rooms/${room}?tab=settings`)
    await page.getByLabel('Slow mode (seconds)').fill('5')
    await alice.call('PUT', `/rooms/${room}`, { name: 'Chess club' })
    // An action refetches the room.
    await page.getByRole('button', { name: 'Freeze' }).click()
    await confirm(page, 'Freeze')
    await page.getByRole('heading', { name: 'Chess club' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await done(page, 'Settings saved')
    const { name, slowModeS } = await inspect(`/admin/rooms/${room}`)
    assert.deepEqual([name, slowModeS], ['Chess club', 5])
  })

  test('input during a save of a room stays an edit, also one that is undone', async () => {
    const room = await newRoom('slow')
    const page = await owner.open(`/rooms/${room}?tab=settings`)
    const name = page.getByLabel('Name', { exact: true })
    const slowMode = page.getByLabel('Slow mode (seconds)')
    const save = page.getByRole('button', { name: 'Save' })
    const held = Promise.withResolvers<void>()
    await page.route(`**/rooms/${room}`, async (route) => {
      if (route.request().method() === 'PUT') await held.promise
      await route.continue()
    })
    await name.fill('Go club')
    await slowMode.fill('5')
    const saving = page.waitForRequest((request) => request.method() === 'PUT')
    await save.click()
    await saving
    await name.fill('Go and chess')
    await slowMode.fill('0')
    held.resolve()
    await page.getByRole('heading', { name: 'Go club' }).waitFor()
    await done(page, 'Settings saved')
    assert.equal((await inspect(`/admin/rooms/${room}`))['slowModeS'], 5)
    await save.click()
    await page.getByRole('heading', { name: 'Go and chess' }).waitFor()
    const after = await inspect(`/admin/rooms/${room}`)
    assert.deepEqual([after['name'], after['slowModeS'] ?? 0], ['Go and chess', 0])
  })

  test('a retention of a room is saved once confirmed', async () => {
    const room = await newRoom('short-lived')
    const page = await owner.open(`/rooms/${room}?tab=settings`)
    await page.getByLabel('Delete messages after (days)').fill('90')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor()
    assert.equal((await inspect(`/admin/rooms/${room}`))['retentionDays'], undefined)
    await confirm(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal((await inspect(`/admin/rooms/${room}`))['retentionDays'], 90)
  })

  test('settings forms and the editor keep what others configured meanwhile, and every digit', async () => {
    const big = '{"id":12345678901234567890}'
    await owner.call('POST', '/config', { fileLimits: { maxBytes: 1_048_576 }, directory: 'off' })
    const page = await owner.open('/settings?tab=app')
    await page.getByLabel('Keep picture metadata').check({ force: true })
    await owner.call('POST', '/config', { fileLimits: { maxBytes: 2_097_152 } })
    await page.getByRole('region', { name: 'Files' }).getByRole('button', { name: 'Save' }).click()
    await done(page, 'Saved')
    const { fileLimits } = await inspect('/config')
    assert.deepEqual(fileLimits, { maxBytes: 2_097_152, keepMetadata: true })

    await page.getByRole('textbox', { name: 'Delete messages after (days)' }).fill('90')
    await page.getByRole('region', { name: 'Retention' }).getByRole('button', { name: 'Save' }).click()
    await confirm(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual((await inspect('/config'))['retention'], { days: 90 })
    await owner.call('DELETE', '/config/retention')

    await page.goto(page.url().replace(/settings.*/, 'developers?tab=config&key=theirs'))
    const value = page.getByLabel('Value (JSON)')
    await value.fill(big)
    await page.getByRole('button', { name: 'Save' }).click()
    await confirm(page, 'Save')
    await page.getByRole('link', { name: 'theirs' }).click()
    assert.match(await value.inputValue(), /12345678901234567890\b/)
    await value.fill(big.replace('}', ',"more":1}'))
    await page.getByRole('button', { name: 'Save' }).click()
    await owner.call('POST', '/config', { theirs: 'changed meanwhile' })
    await confirm(page, 'Save')
    await page.getByText('This key has changed since you opened it.').waitFor()
    await page.getByRole('dialog').getByText('changed meanwhile').waitFor()
    await confirm(page, 'Save')
    await page.getByRole('cell', { name: /12345678901234567890\b/ }).waitFor()
  })

  test('the chat page is customized in a form, with a live preview and the code to embed it', async () => {
    await owner.call('POST', '/config', { chatPage: { name: 'Before' } })
    const page = await owner.open('/settings')
    await page.getByRole('button', { name: 'Show preview' }).click()
    const frame = page.frameLocator('iframe[title="Preview"]')
    await frame.getByText('Before').first().waitFor()
    const brand = () => frame.locator('html').evaluate((html) => getComputedStyle(html).getPropertyValue('--brand'))
    const plain = await brand()
    await page.getByLabel('Name above the room list').fill('Acme Help')
    await page.getByLabel('Colour, such as #0f766e').fill('#0f766e')
    await frame.getByText('Acme Help').first().waitFor()
    await eventually('it has the colour', async () => (await brand()) === '#0f766e')
    await page.getByLabel('Colour, such as #0f766e').fill('#0f')
    await eventually('it has no such colour', async () => (await brand()) === plain)
    await page.getByLabel('Colour, such as #0f766e').fill('#0f766e')
    assert.deepEqual((await inspect('/config'))['chatPage'], { name: 'Before' })
    await page.getByRole('button', { name: 'Save' }).click()
    await done(page, 'Saved')
    await page.getByLabel('Language', { exact: true }).last().selectOption('zh')
    await frame.getByText('还没有聊天').first().waitFor()
    await frame.getByText('Acme Help').first().waitFor()
    await page.locator('pre', { hasText: 'language: "zh"' }).waitFor()
    assert.deepEqual((await inspect('/config'))['chatPage'], { name: 'Acme Help', color: '#0f766e' })
  })

  test('the event tail reconnects after a failure', async () => {
    const room = await newRoom('events')
    const page = await owner.open('/developers?tab=events', { allow: refused })
    let isDown = true
    await page.route('**/admin/events*', (route) => (isDown ? route.fulfill({ status: 503 }) : route.continue()))
    await giveReason(page)
    await page.getByText('Reconnecting', { exact: true }).waitFor()
    isDown = false
    await page.getByText('Live', { exact: true }).waitFor()
    await say(room, 'after the failure')
    await page.locator('.event', { hasText: 'chat message' }).first().waitFor()
  })

  test('a bulk decision passes over reports that others have decided, and reports failures', async () => {
    const room = await newRoom('rude')
    for (const text of ['one', 'two', 'three'])
      await bob.call('POST', `/messages/${await say(room, text)}/report`, { reason: `I mind ${text}` })
    const page = await owner.open(`/moderation?room=${room}`, { allow: refused })
    await giveReason(page)
    const { data } = await inspect(`/admin/reports?room=${room}`)
    const [first, second] = data as { id: string }[]
    await page.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Decide' }).first().click()
    await owner.call('POST', `/admin/reports/${first?.id}/decide`, { decision: 'delete' })
    const path = `**/admin/reports/${second?.id}/decide`
    await page.route(path, (route) => route.fulfill({ status: 503 }))
    await confirm(page, 'Dismiss')
    await page.getByText('1 decided, 1 already decided by someone else, 1 failed').waitFor()
    await page.unroute(path)
    await confirm(page, 'Dismiss')
    await done(page, '2 decided, 1 already decided by someone else')
    await page.getByText('No open reports').waitFor()
  })

  test('a refused retry of a webhook call is reported', async () => {
    const call = { id: 'x', roomID: 'r', event: 'e', tries: 1, lastError: 'refused', failedAt: Date.now(), data: {} }
    const page = await owner.open('/delivery?tab=dead', { allow: refused })
    await page.route('**/admin/webhooks/failed?*', (route) =>
      route.fulfill({ json: { result: { totalCount: 51, data: [call] } } }),
    )
    await giveReason(page)
    await page.getByText('1–1 of 51').waitFor()
    await page.getByRole('button', { name: 'Next page' }).waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('alert').waitFor()
  })

  test('figures that cannot be refreshed stay, under a warning that goes once they can', async () => {
    const page = await owner.open('/overview', { allow: refused })
    await page.locator('.card-value').first().waitFor()
    await page.route('**/admin/overview', (route) => route.fulfill({ status: 503, json: {} }))
    const warning = page.getByRole('alert').filter({ hasText: 'Could not refresh: this may be out of date' })
    await warning.waitFor()
    await page.locator('.card-value').first().waitFor()
    await page.unroute('**/admin/overview')
    await warning.getByRole('button', { name: 'Try again' }).click()
    await warning.waitFor({ state: 'detached' })
  })

  test('the alerts of the overview are in the operator’s language', async () => {
    const page = await owner.open('/overview')
    await page.locator('.card-value').first().waitFor()
    const figures = { messages: 0, deliveries: 0, requests: 0, failedRequests: 0, refusedRequests: 0, emits: 0 }
    const more = { failedEmits: 0, refusedEmits: 0, pushes: 10, failedPushes: 30, calls: 0, failedCalls: 0 }
    const reason = '30 of 40 pushes failed in the last hour'
    const minute = { atMS: Date.now(), peakConnections: 0, figures: { ...figures, ...more } }
    const alerts = [{ code: 'PUSHES_FAIL', reason }]
    const overview = { nowMS: Date.now(), connections: 0, deadCalls: 0, hour: [minute], day: [], alerts }
    await page.route('**/admin/overview', (route) => route.fulfill({ json: { result: overview } }))
    await page.reload()
    await page.getByText(reason, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    await page.getByText('最近一小时 40 次推送中有 30 次失败').waitFor()
    assert.equal(await page.getByText(reason).count(), 0)
  })

  test('the audit log shows the reasons of reads, and Back returns to its previous page', async () => {
    const room = await newRoom('audited')
    await say(room, 'private')
    const page = await owner.open(`/rooms/${room}`)
    await giveReason(page)
    await page.getByRole('log').getByText('private').waitFor()
    const base = page.url().replace(/\/rooms.*/, '')
    await page.goto(`${base}/audit?subject=room:${room}`)
    await page.getByRole('cell', { name: 'Reason: Ticket 4711' }).waitFor()
    await page.route('**/admin/audit*', async (route) => {
      const { result } = (await (await route.fetch()).json()) as { result: { data: object[] } }
      await route.fulfill({ json: { result: { data: result.data, cursor: 'none' } } })
    })
    await page.goto(`${base}/audit?action=inspectMessages`)
    await page.route('**/admin/audit?*cursor=none*', (route) => route.fulfill({ json: { result: { data: [] } } }))
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL(/cursor=none/)
    await page.goBack()
    await page.getByRole('cell', { name: 'Reason: Ticket 4711' }).first().waitFor()
    assert.match(page.url(), /audit\?action=inspectMessages$/)
  })

  test('users and rooms are found by name from anywhere', async () => {
    await newRoom('harbour')
    const page = await owner.open('/jobs')
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('Alic')
    await page.getByRole('option', { name: 'Find users: Alic' }).click()
    await page.getByRole('link', { name: 'Alice' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('harb')
    await page.getByRole('option', { name: 'Find rooms: harb' }).click()
    await page.getByRole('link', { name: 'harbour' }).waitFor()
  })

  test('a key without a name is revoked by its ID', async () => {
    const page = await owner.open('/developers')
    const row = page.getByRole('row').filter({ hasText: 'No name' }).first()
    const id = await row.locator('code').first().innerText()
    await row.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(`Type “${id}” to confirm`).waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Revoke key' }).isDisabled())
  })

  test('the event tail shows the events of one room, and a test URL that cannot be closed says so', async () => {
    const [room, other] = [await newRoom('watched'), await newRoom('ignored')]
    const page = await owner.open(`/developers?tab=events&types=${encodeURIComponent('chat message')}`, {
      allow: refused,
    })
    await giveReason(page)
    await page.getByRole('textbox', { name: 'Room or user ID' }).fill(room)
    await page.waitForURL(/of=watched/)
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
    await eventually('an event is shown', async () => {
      await say(other, 'elsewhere')
      await say(room, 'here')
      return (await events.count()) > 0
    })
    assert.equal(await events.filter({ hasText: other }).count(), 0)

    await page.goto(page.url().replace(/\?.*/, '?tab=receiver'))
    await page.getByRole('button', { name: 'Create a test URL' }).click()
    await giveReason(page)
    await page.route('**/admin/webhooks/receivers/*', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    )
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByText('No calls yet').waitFor()
  })

  test('on a phone no button or badge is cut off', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const call = {
      id: 'x',
      roomID: 'a-long-room-id',
      event: 'MESSAGE',
      tries: 1,
      lastError: '410',
      failedAt: Date.now(),
    }
    const page = await owner.open('/users/alice', phone)
    const isWhole = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.every((one) => one.scrollWidth <= one.clientWidth))
    await page.getByText('Active', { exact: true }).waitFor()
    assert.ok(await isWhole('main .mantine-Badge-label'))
    await page.route('**/admin/webhooks/failed?*', (route) =>
      route.fulfill({ json: { result: { totalCount: 1, data: [{ ...call, data: {} }] } } }),
    )
    await page.goto(page.url().replace(/users.*/, 'delivery?tab=dead'))
    await giveReason(page)
    await page.getByText('after 1 attempt: 410').waitFor()
    assert.ok(await isWhole('main .mantine-Button-label'))
  })
})
