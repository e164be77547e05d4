import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { commandEnv, parleyFile } from '../parley-command.ts'
import { call, connectClient, eventually, type Platform, type PlatformUser, startPlatform } from '../platform.ts'
import { assertNothingFound } from './axe.ts'
import { openPage } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

const run = promisify(execFile)
/** A possible user ID: it must stay text wherever it is shown. */
const hostile = '<img src=x onerror=alert(1)>'

describe.skipIf(isChromiumMissing())('the console: overview, timeline, delivery, developers, audit, operators', () => {
  let browser: Browser
  let platform: Platform
  let url: string
  let bob: PlatformUser
  let room: string
  let roles: Record<'owner' | 'viewer', { name: string; value: string }>

  beforeAll(async () => {
    ;[browser, platform] = await Promise.all([startChromium(), startPlatform()])
    const [gateway, node] = await Promise.all([
      platform.start('api-gateway', { PARLEY_GATEWAY_JOB_AFTER_MS: '0' }),
      platform.start('realtime'),
    ])
    ;({ url } = gateway)
    const alice = await platform.newUser(hostile)
    bob = await platform.newUser('bob')
    room = await platform.newRoom([alice.id, bob.id])
    const socket = await connectClient(node.url, bob.token, { deviceId: 'phone' })
    await platform.admin('POST', '/messages', { room, sender: alice.id, message: 'secret', messageType: 'text' })
    await platform.admin('POST', `/blockStatus/room/${room}/bob`)
    socket.emit('chat message', { room, message: 'x', messageType: 'text' }, () => socket.close())
    roles = { owner: await enter('owner'), viewer: await enter('viewer') }
  })
  afterAll(async () => {
    await browser.close()
    await platform.stop()
  })

  /** The session cookie of a new operator. */
  async function enter(role: string): Promise<{ name: string; value: string }> {
    const env = { ...commandEnv, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    const command = ['operator', 'add', `${role}@example.com`, '--role', role, '--app', platform.app]
    const { stdout } = await run(process.execPath, [parleyFile, ...command], { env })
    const answer = await fetch(`${url}/operator/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: /ol_[\w-]+/.exec(stdout)?.[0] }),
    })
    const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
    assert.equal(answer.status, 200)
    return { name, value }
  }

  /** A view of the console as an operator sees it. */
  async function open(view: string, role: 'owner' | 'viewer' = 'owner', allow?: RegExp): Promise<Page> {
    const cookie = { ...roles[role], domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false }
    const storageState = { cookies: [{ ...cookie, sameSite: 'Strict' as const }], origins: [] }
    const address = `${url}/console/apps/${encodeURIComponent(platform.app)}/${view}`
    // axe is a script of the test, which the policy of the page would refuse.
    return openPage(browser, address, { storageState, bypassCSP: true, ...(allow && { allow }) })
  }

  test('the overview has what was counted, and the processes with their versions', async () => {
    const page = await open('overview')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const requests = page.getByRole('region', { name: 'Requests and emits' })
    await eventually('requests are counted', async () =>
      /[1-9]/.test(await requests.locator('.card-value').innerText()),
    )
    await page.getByRole('cell', { name: 'realtime', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Alive' }).first().waitFor()
    await assertNothingFound(page, 'overview')
    await page.getByText('Last day').click()
    await page.waitForURL(/span=day/)
  })

  test('the timeline says why, keeps hostile names text, and its filters are in the address', async () => {
    const page = await open('timeline')
    await page.getByText('Why did it happen, or not?').waitFor()
    await page.getByLabel('User ID').fill('bob')
    await page.waitForURL(/user=bob/)
    const list = page.getByRole('list', { name: 'Timeline' })
    await list.getByText('An API key banned bob in the room without an end').waitFor()
    await list.getByText(`${hostile} sent a message of type text (seq 1)`).waitFor()
    await list.getByText(/^Handed to one socket of the room; phone was connected there$/).waitFor()
    await list.getByText(/^Chat message was refused: /).waitFor()
    await list.getByText(/^Phone disconnected: /).waitFor()
    assert.ok(!(await page.content()).includes('secret'), 'no text of a message')
    assert.equal(await page.locator('img[src=x]').count(), 0)
    await assertNothingFound(page, 'timeline')
    await page.getByText('Bans', { exact: true }).first().click()
    await page.waitForURL(/kinds=ban/)
    await eventually('only bans', async () => (await list.getByRole('listitem').count()) === 1)
    await page.reload()
    await list.getByText('An API key banned bob').waitFor()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    await page.getByText('在房间中被封禁').waitFor()
  })

  test('a key is shown once, works, and ends; a configuration key shows its change before it is saved', async () => {
    const word = `word${Date.now()}`
    const page = await open('developers')
    await page.getByRole('button', { name: 'Add a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('shop')
    await dialog.getByLabel('users:read').check()
    await assertNothingFound(page, 'add a key')
    await dialog.getByRole('button', { name: 'Add a key' }).click()
    const shown = dialog.locator('pre', { hasText: 'ak_' })
    const apiKey = await shown.innerText()
    assert.equal((await call(url, 'GET', '/admin/groups', { 'im-api-key': apiKey })).status, 200)
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /shop/ }).getByRole('button', { name: 'End' }).click()
    await dialog.getByLabel('Type “shop” to confirm').fill('shop')
    await dialog.getByRole('button', { name: 'End the key' }).click()
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
      .getByText(/owner@example\.com.*censorship/)
      .first()
      .waitFor()
    await assertNothingFound(page, 'configuration')
    assert.deepEqual(((await platform.admin('GET', '/config')) as Record<string, unknown>)['censorship'], {
      keywords: [word],
    })
  })

  test('the explorer calls in the name of a key alone, and the tail shows events as they happen', async () => {
    const operation = encodeURIComponent('GET /admin/clients/{client_id}')
    const page = await open(`developers?tab=explorer&operation=${operation}`)
    await page.getByRole('textbox', { name: 'API key' }).fill(platform.apiKey)
    await page.getByLabel('client_id').fill('bob')
    await assertNothingFound(page, 'explorer')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('status').getByText('"_id": "bob"').waitFor()
    await page.getByText('Events', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('a ticket')
    await page.getByRole('button', { name: /read/i }).click()
    await page.getByText('No event yet').waitFor()
    await eventually('an event is shown', async () => {
      await platform.admin('POST', '/messages', { room, sender: hostile, message: 'x', messageType: 'text' })
      return (await page.getByRole('list', { name: 'Events' }).getByText('chat message').count()) > 0
    })
    await assertNothingFound(page, 'events')
  })

  test('jobs show their progress, and with a reason the outcome for each recipient', async () => {
    const message = { message: 'secret', messageType: 'text', sender: hostile }
    const batch = { ...message, paras: [{ room }, { receiver: 'nobody' }] }
    const { body } = await call(url, 'POST', '/messages/batch', { 'im-api-key': platform.apiKey }, batch)
    const { job } = body['result'] as { job: string }
    const page = await open('jobs')
    await page
      .getByRole('row', { name: /Messages to many/ })
      .first()
      .getByText('2 of 2')
      .waitFor()
    await assertNothingFound(page, 'jobs')
    await page.getByRole('button', { name: 'Outcomes', exact: true }).first().click()
    await page.waitForURL(new RegExp(job))
    await page.getByRole('textbox', { name: 'Reason' }).fill('a ticket')
    await page.getByRole('button', { name: /read/i }).click()
    const outcomes = page.getByRole('list', { name: 'Outcomes' })
    await outcomes.getByText(`Sent to room ${room}`).waitFor()
    await outcomes.getByText('CLIENT_NOT_FOUND').waitFor()
    await assertNothingFound(page, 'outcomes')
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Erasure of a user' }).click()
    await page.getByText('No job here').waitFor()
    const viewer = await open('jobs', 'viewer')
    await viewer
      .getByRole('row', { name: /Messages to many/ })
      .first()
      .waitFor()
    assert.equal(await viewer.getByRole('button', { name: 'Outcomes', exact: true }).count(), 0)
  })

  test('delivery, the audit log and operators: each with its address; an owner adds an operator', async () => {
    const page = await open('delivery')
    await page.getByText('No call in this time').waitFor()
    await assertNothingFound(page, 'calls')
    await page.getByText('Push', { exact: true }).click()
    await page.getByRole('heading', { name: 'Test push' }).waitFor()
    await assertNothingFound(page, 'push')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByLabel('Action').fill('banMember')
    await page.waitForURL(/action=banMember/)
    await page.getByRole('cell', { name: 'banMember' }).waitFor()
    await assertNothingFound(page, 'audit')
    await page.getByRole('link', { name: 'Operators' }).click()
    await page.getByRole('button', { name: 'Add an operator' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill('new@example.com')
    await dialog.getByLabel('Name').fill(hostile)
    await dialog.getByLabel('Role in this app').selectOption('support')
    await dialog.getByRole('button', { name: 'Add an operator' }).click()
    await dialog.getByText(/console#link=ol_/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('cell', { name: 'new@example.com' }).getByText(hostile).waitFor()
    await assertNothingFound(page, 'operators')
  })

  test('a viewer sees the overview alone: other addresses say what the role lacks', async () => {
    const page = await open('overview', 'viewer', /403|Failed to load/)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const links = page.getByRole('navigation').first()
    for (const name of ['Timeline', 'Delivery', 'Audit log', 'Operators']) {
      assert.equal(await links.getByRole('link', { name }).count(), 0, name)
    }
    const address = page.url()
    await page.goto(address.replace('overview', 'timeline?user=bob'))
    await page.getByText(/messages:read/).waitFor()
    await page.goto(address.replace('overview', 'developers'))
    await page.getByText('Your role does not show this').waitFor()
    await page.goto(address.replace('overview', 'operators'))
    await page.getByText('Only owners manage operators').waitFor()
  })
})
