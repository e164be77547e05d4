import assert from 'node:assert/strict'
import { connectDb } from '@parley/db/connect'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { type RelayDouble, startRelay } from '../doubles/relay.ts'
import { certificateFile } from '../doubles/tls.ts'
import { call, connectClient, eventually, type Platform, type PlatformUser } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { testDelivery } from './console-delivery.ts'
import { testRoles } from './console-roles.ts'
import { type ConsoleOfDeployment, type ConsoleOperator, consoleOf } from './console-tab.ts'

/** A valid user ID, which must be shown as text everywhere. */
const hostile = '<img src=x onerror=alert(1)>'
const env = { PARLEY_GATEWAY_JOB_AFTER_MS: '0', PARLEY_MODERATE_ALLOW_PRIVATE_TARGETS: 'true' }

describe.skipIf(isChromiumMissing())('the console: operations', () => {
  let browser: Browser
  let deployment: Deployment
  let hook: CallbackDouble
  let relay: RelayDouble
  let parley: ConsoleOfDeployment
  let platform: Platform
  let url: string
  let bob: PlatformUser
  let room: string
  let roles: Record<'owner' | 'viewer' | 'support' | 'developer', ConsoleOperator>

  beforeAll(async () => {
    ;[browser, deployment] = await Promise.all([startChromium(), deploy(1, [], env)])
    ;[hook, relay] = await Promise.all([startCallback(), startRelay()])
    ;({ platform } = deployment)
    const db = await connectDb(platform.servers.mongoUrl)
    relay.secret = (await db.apps.findOne({ _id: platform.app }))?.webhookSecret ?? ''
    await db.client.close()
    const pushEnv = { PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'loopback', NODE_EXTRA_CA_CERTS: certificateFile }
    await platform.start('push', { ...pushEnv, ...relay.env })
    parley = await consoleOf(deployment, browser)
    ;({ url } = parley)
    const [viewer, support, developer] = [
      await parley.newOperator('viewer'),
      await parley.newOperator('support'),
      await parley.newOperator('developer'),
    ]
    roles = { owner: parley.owner, viewer, support, developer }
    const alice = await platform.newUser(hostile)
    bob = await platform.newUser('bob')
    room = await platform.newRoom([alice.id, bob.id])
    const socket = await connectClient(url, bob.token, { deviceId: 'phone' })
    await platform.admin('POST', '/messages', { room, sender: alice.id, message: 'secret', messageType: 'text' })
    await platform.admin('POST', `/blockStatus/room/${room}/bob`)
    socket.emit('chat message', { room, message: 'x', messageType: 'text' }, () => socket.close())
  })
  afterAll(() => Promise.all([deployment.stop(), hook.stop(), relay.stop()]))

  /** Opens a view of the console as an operator. */
  const open = (view: string, role: 'owner' | 'viewer' = 'owner', allow?: RegExp): Promise<Page> =>
    roles[role].open(`/${view}`, allow && { allow })
  const giveReason = async (page: Page) => {
    await page.getByRole('textbox', { name: 'Reason' }).fill('a ticket')
    await page.getByRole('button', { name: /read/i }).click()
  }

  test('the session is read once for a page, by its preload', async () => {
    const page = await open('overview')
    const read: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/operator/session')) read.push(request.method())
    })
    await page.reload()
    await page.locator('.card-value').first().waitFor()
    assert.deepEqual(read, ['GET'])
    const how = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .flatMap((entry) =>
          entry.name.endsWith('/operator/session') ? (entry as PerformanceResourceTiming).initiatorType : [],
        ),
    )
    assert.deepEqual(how, ['link'])
  })

  test('the overview shows counters, and the processes with their versions', async () => {
    const page = await open('overview')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const requests = page.getByRole('region', { name: 'Requests and emits' })
    await eventually('requests are counted', async () =>
      /[1-9]/.test(await requests.locator('.card-value').innerText()),
    )
    await page.getByRole('cell', { name: 'realtime', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Alive' }).first().waitFor()
    await assertAccessible(page, 'overview')
    await page.getByText('Last day').click()
    await page.waitForURL(/span=day/)
  })

  test('the timeline gives reasons, shows hostile names as text, and keeps its filters in the URL', async () => {
    const page = await open('timeline')
    await page.getByText('What happened, and why?').waitFor()
    await page.getByLabel('User ID').fill('bob')
    await page.waitForURL(/user=bob/)
    const list = page.getByRole('list', { name: 'Timeline' })
    await list.getByText('An API key banned bob in the room indefinitely').waitFor()
    await list.getByText(`${hostile} sent a message of type text (seq 1)`).waitFor()
    await list.getByText(/^Delivered to one socket of the room; phone was connected there$/).waitFor()
    await list.getByText(/^Chat message was refused: /).waitFor()
    await list.getByText(/^Phone disconnected: /).waitFor()
    assert.ok(!(await page.content()).includes('secret'), 'no text of a message')
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await assertAccessible(page, 'timeline')
    await page.getByText('Bans', { exact: true }).first().click()
    await page.waitForURL(/kinds=ban/)
    await eventually('only bans', async () => (await list.getByRole('listitem').count()) === 1)
    await page.reload()
    await list.getByText('An API key banned bob').waitFor()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    const inChinese = page.getByRole('list', { name: '时间线' })
    await inChinese.getByText('API 密钥 在房间中封禁了 bob（无期限）：只能阅读').waitFor()
    await page.getByText('封禁', { exact: true }).first().click()
    await inChinese.getByText(`${hostile} 发送了类型为 text 的消息（seq 1）`).waitFor()
    await inChinese.getByText('已交给房间的 1 个连接；phone 当时连接在此节点').waitFor()
    assert.equal(await inChinese.locator('[lang=en]').count(), 0, 'every code is translated')
  })

  test('an API key is shown once, works and can be revoked; a configuration change is shown before it is saved', async () => {
    const word = `word${Date.now()}`
    const page = await open('developers')
    await page.getByRole('button', { name: 'Add a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('shop')
    await dialog.getByLabel('users:read').check()
    await assertAccessible(page, 'add a key')
    await dialog.getByRole('button', { name: 'Add a key' }).click()
    const shown = dialog.getByRole('textbox', { name: 'API key' })
    const apiKey = await shown.inputValue()
    assert.equal((await call(url, 'GET', '/admin/groups', { 'im-api-key': apiKey })).status, 200)
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /shop/ }).getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByLabel('Type “shop” to confirm').fill('shop')
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('row', { name: /shop/ }).waitFor({ state: 'detached' })
    assert.equal((await call(url, 'GET', '/admin/groups', { 'im-api-key': apiKey })).status, 401)

    await page.getByText('Configuration', { exact: true }).click()
    await page.getByLabel('Another key').fill('censorship')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByLabel('Value (JSON)').fill(`{"keywords": ["${word}"`)
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
    await page.getByLabel('Value (JSON)').fill(`{"keywords": ["${word}"]}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.diff-added', { hasText: word }).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /censorship/ }).waitFor()
    await page
      .getByText(/owner@localhost\.local.*censorship/)
      .first()
      .waitFor()
    await assertAccessible(page, 'configuration')
    assert.deepEqual(((await platform.admin('GET', '/config')) as Record<string, unknown>)['censorship'], {
      keywords: [word],
    })
  })

  test('the explorer calls with an API key only, and the event tail shows events as they happen', async () => {
    const operation = encodeURIComponent('GET /admin/clients/{client_id}')
    const page = await open(`developers?tab=explorer&operation=${operation}`)
    await page.getByRole('textbox', { name: 'API key' }).fill(platform.apiKey)
    await page.getByLabel('client_id').fill('bob')
    await assertAccessible(page, 'explorer')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('status').getByText('"_id": "bob"').waitFor()
    await page.getByText('Events', { exact: true }).click()
    await giveReason(page)
    await page.getByText('No events yet').waitFor()
    await eventually('an event is shown', async () => {
      await platform.admin('POST', '/messages', { room, sender: hostile, message: 'x', messageType: 'text' })
      return (await page.getByRole('list', { name: 'Events' }).getByText('chat message').count()) > 0
    })
    await assertAccessible(page, 'events')
  })

  test('messages of all rooms are found by words, room, sender and type, after giving a reason; each links to its place', async () => {
    const other = await platform.newRoom([hostile, 'bob'])
    const say = (of: string, message: string, more = {}) =>
      platform.admin('POST', '/messages', { room: of, sender: hostile, message, messageType: 'text', ...more })
    const { _id } = await say(room, `needle ${hostile}`)
    await say(other, 'needle elsewhere', { messageType: 'card' })
    const page = await open('moderation?tab=search')
    await giveReason(page)
    await page.getByText('Search the messages of all rooms').waitFor()
    await page.getByRole('textbox', { name: 'Words' }).fill('needle')
    await page.waitForURL(/keyword=needle/)
    const found = page.getByRole('list', { name: 'Messages' })
    await found.getByText('needle elsewhere').waitFor()
    await found.getByText(`needle ${hostile}`).waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await assertAccessible(page, 'search of messages')
    await page.getByRole('textbox', { name: 'Type' }).fill('card')
    await found.getByText(`needle ${hostile}`).waitFor({ state: 'detached' })
    await found.getByText('needle elsewhere').waitFor()
    await page.getByRole('textbox', { name: 'Room ID' }).fill(room)
    await page.getByText('No messages found').waitFor()
    await page.getByRole('textbox', { name: 'Type' }).fill('')
    await found.getByText(`needle ${hostile}`).waitFor()
    await page.getByRole('textbox', { name: 'Sender ID' }).fill('bob')
    await page.getByText('No messages found').waitFor()
    await page.getByRole('textbox', { name: 'Sender ID' }).fill(hostile)
    await found.getByRole('link', { name: hostile }).waitFor()
    await found.getByRole('link', { name: 'Open in room' }).click()
    await page.waitForURL(new RegExp(`rooms/${room}.*message=${String(_id)}`))
    const { status, body } = await roles.viewer.call('POST', '/admin/search', { keyword: 'needle' })
    assert.deepEqual([status, body.error?.code], [403, 'PERMISSION_DENIED'])
  })

  test('a text can be tried against MODERATE: the response is shown as text, or that there was none', async () => {
    const page = await open('moderation?tab=hook')
    const ask = async (text: string, shown: string) => {
      await page.getByLabel('Text of the message').fill(text)
      await page.getByRole('button', { name: 'Call the server' }).click()
      await page.getByRole('status').getByText(shown, { exact: true }).waitFor()
    }
    await ask('hello', 'No server is configured')
    hook.behave = () => ({ body: JSON.stringify({ action: 'mask', text: hostile }) })
    await roles.owner.call('POST', '/config', { MODERATE: { url: `${hook.url}/moderate` } })
    await eventually('the gateway uses the key', async () => {
      const { body } = await roles.owner.call('POST', '/admin/moderation/try', { text: '?' })
      return body.result['action'] === 'mask'
    })
    await page.getByLabel('Sender ID (optional)').fill('bob')
    await ask('rude words', 'Masked')
    await page.getByRole('status').getByText(hostile).waitFor()
    assert.match(hook.calls.at(-1)?.text ?? '', /"clientID":"bob".*rude words/)
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await assertAccessible(page, 'MODERATE')
    hook.behave = () => ({ status: 500 })
    await ask('hello', 'No response')
    const hour = page.getByRole('region', { name: 'Calls in the last hour' })
    await hour.getByText(/ [1-9]\d* masked/).waitFor()
    await hour.getByText(/^p50 \d+ ms, p99 \d+ ms$/).waitFor()
    await hour.getByText('1 without a response').waitFor()
    for (let n = 0; n < 4; n++) await roles.owner.call('POST', '/admin/moderation/try', { text: '?' })
    await page.getByRole('alert').getByText('Calls to the server are paused').waitFor()
    await assertAccessible(page, 'MODERATE that fails')
    await roles.owner.call('POST', '/config', { MODERATE: null })
    const { status } = await roles.viewer.call('POST', '/admin/moderation/try', { text: '?' })
    assert.equal(status, 403)
  })

  test('users are listed by ban, kind and last login; the filters are in the URL', async () => {
    await platform.newUser('robot 1', { isRobot: true, nickname: 'R2' })
    await platform.newUser('mallory', { nickname: 'Mallory' })
    await platform.admin('POST', '/admin/clients/mallory/ban', {})
    const page = await open('users')
    const person = (name: string) => page.getByRole('link', { name })
    await Promise.all([person('R2'), person('Mallory'), person('bob')].map((one) => one.first().waitFor()))
    const choose = async (name: string) => {
      await page.getByRole('combobox', { name: 'List' }).click()
      await page.getByRole('option', { name }).click()
    }
    await choose('Banned from the app')
    await page.waitForURL(/list=banned/)
    await person('R2').waitFor({ state: 'detached' })
    await person('Mallory').waitFor()
    await choose('Robots')
    await person('Mallory').waitFor({ state: 'detached' })
    await person('R2').waitFor()
    await page.reload()
    await person('R2').waitFor()
    await assertAccessible(page, 'robots')
    await choose('By last login')
    await person('bob').first().waitFor()
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00:00')
    await page.waitForURL(/to=.*15778/)
    await page.getByText('No user found').waitFor()
  })

  test('a test receiver shows calls as they arrive, and the list of calls shows their data; hostile text stays text', async () => {
    const page = await open('developers?tab=receiver')
    await page.getByLabel('Minutes to keep it open').fill('5')
    await assertAccessible(page, 'opening a receiver')
    await page.getByRole('button', { name: 'Create a test URL' }).click()
    await giveReason(page)
    await page.getByText('No calls yet').waitFor()
    const address = await page.locator('code', { hasText: '/webhooks/receivers/rc_' }).innerText()
    const hooked = await platform.newRoom([hostile, 'bob'], { webhook: address })
    const message = { room: hooked, sender: hostile, message: `${hostile} asks`, messageType: 'text' }
    await platform.admin('POST', '/messages', message)
    const calls = page.getByRole('list', { name: 'Test receiver' }).getByRole('listitem')
    const call = calls.filter({ hasText: `${hostile} asks` })
    await call.locator('summary').click()
    await call.getByText(/webhook-signature: v1,/).waitFor()
    await call.getByText(/"event": "MESSAGE"/).waitFor()
    await assertAccessible(page, 'a receiver')
    const viewed = page.url()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Create a test URL' }).waitFor()

    const made = await open(`delivery?room=${hooked}`, 'owner', /404/)
    await made
      .getByRole('row', { name: /MESSAGE/ })
      .getByRole('button', { name: 'Data' })
      .click()
    await giveReason(made)
    await made.getByRole('dialog').getByText(`${hostile} asks`).waitFor()
    await assertAccessible(made, 'data of a call')
    for (const shown of [page, made]) assert.equal(await shown.locator('img[src=x]').count(), 0)
    await made.goto(viewed)
    await giveReason(made)
    await made.getByText('This test URL has expired').waitFor()
    const { status } = await roles.viewer.call('POST', '/admin/webhooks/receivers', {})
    assert.equal(status, 403)
  })

  test('jobs show their progress and, after giving a reason, the outcome for each recipient', async () => {
    const message = { message: 'secret', messageType: 'text', sender: hostile }
    const batch = { ...message, paras: [{ room }, { receiver: 'nobody' }] }
    const { body } = await call(url, 'POST', '/messages/batch', { 'im-api-key': platform.apiKey }, batch)
    const { job } = body['result'] as { job: string }
    const page = await open('jobs')
    await page
      .getByRole('row', { name: /Message batch/ })
      .first()
      .getByText('2 of 2')
      .waitFor()
    await assertAccessible(page, 'jobs')
    await page.getByRole('button', { name: 'Outcomes', exact: true }).first().click()
    await page.waitForURL(new RegExp(job))
    await giveReason(page)
    const outcomes = page.getByRole('list', { name: 'Outcomes' })
    await outcomes.getByText(`Sent to room ${room}`).waitFor()
    await outcomes.getByText('CLIENT_NOT_FOUND').waitFor()
    await assertAccessible(page, 'outcomes')
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'User erasure' }).click()
    await page.getByText('No jobs').waitFor()
    const viewer = await open('jobs', 'viewer')
    await viewer
      .getByRole('row', { name: /Message batch/ })
      .first()
      .waitFor()
    assert.equal(await viewer.getByRole('button', { name: 'Outcomes', exact: true }).count(), 0)
  })

  test('a user is exported from their page; the file is in the list of jobs', async () => {
    const page = await open('users/bob')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
    await page
      .getByRole('row', { name: /User export/ })
      .getByRole('button', { name: 'File' })
      .click()
    await giveReason(page)
    const file = await page.getByRole('link', { name: /Download the ZIP/ }).getAttribute('href')
    const zip = await (await fetch(new URL(String(file), url))).bytes()
    assert.equal(Buffer.from(zip.subarray(0, 2)).toString(), 'PK')
  })

  test('delivery, the audit log and operators have URLs; an owner adds an operator', async () => {
    const page = await open('delivery')
    await page.getByRole('heading', { name: 'Delivery' }).waitFor()
    await assertAccessible(page, 'calls')
    await page.getByText('Push', { exact: true }).click()
    await page.getByRole('heading', { name: 'Test push' }).waitFor()
    await assertAccessible(page, 'push')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByLabel('Action').fill('banMember')
    await page.waitForURL(/action=banMember/)
    // Rows of before the filter turn stale, which is pale, and then go.
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
    await eventually('only bans are listed', async () => {
      const isAll = (await rows.count()) === (await rows.filter({ hasText: 'banMember' }).count())
      return isAll && (await rows.count()) > 0 && (await page.locator('.stale').count()) === 0
    })
    await assertAccessible(page, 'audit')
    await page.getByRole('link', { name: 'Operators' }).click()
    await page.getByRole('button', { name: 'Add operator' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('new@example.com')
    await dialog.getByLabel('Name').fill(hostile)
    await dialog.getByLabel('Role in this app').selectOption('support')
    await dialog.getByRole('button', { name: 'Add operator' }).click()
    assert.match(await dialog.getByRole('textbox', { name: 'Sign-in link' }).inputValue(), /console#link=ol_/)
    await page.keyboard.press('Escape')
    await page.getByRole('cell', { name: 'new@example.com' }).getByText(hostile).waitFor()
    await assertAccessible(page, 'operators')
  })

  testDelivery(() => ({ platform, url, hook, relay, roles, giveReason }), hostile)
  testRoles(() => ({ platform, parley, roles, giveReason }))
})
