import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import { openPage } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { type ConsoleOfDeployment, type ConsoleOperator, consoleOf, totpOf } from './console-tab.ts'
import { hostileNames } from './hostile-names.ts'

const html = '<img src=x onerror="window.hacked=1">'
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
/** Chromium logs this for each failed request. */
const refused = /Failed to load resource/

describe.skipIf(isChromiumMissing())('the console in a browser', () => {
  let deployment: Deployment
  let browser: Browser
  let parley: ConsoleOfDeployment
  let owner: ConsoleOperator
  let alice: PlatformUser
  let bob: PlatformUser
  let room: string

  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    parley = await consoleOf(deployment, browser)
    ;({ owner } = parley)
    const { platform } = deployment
    alice = await platform.newUser('alice', { nickname: 'Alice Müller', email: 'alice@example.com' })
    bob = await platform.newUser('bob', { nickname: 'Bob' })
    room = await platform.newRoom(['alice', 'bob'], { _id: 'friends', name: 'Friends', owner: 'alice' })
  })
  afterAll(() => deployment.stop())

  const say = async (message: unknown, more = {}, user = alice): Promise<string> =>
    String((await user.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more }))['_id'])
  const inspect = async (path: string) => (await owner.call('GET', path)).body.result
  const giveReason = async (page: Page) => {
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: 'Read the conversation' }).click()
  }
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const done = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).first().waitFor()

  test('sign-in by one-time link, and by password and authenticator, leads to the requested view, also after the session ends', async () => {
    const { email, link } = await parley.invite('moderator')
    const password = 'correct horse battery staple'
    const setUp = await openPage(browser, `${parley.url}/console#link=${link}`, { allow: refused })
    await setUp.getByRole('button', { name: 'Sign in with this link' }).click()
    await setUp.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.doesNotMatch(setUp.url(), /link/)
    const again = await openPage(browser, `${parley.url}/console#link=${link}`, { allow: refused })
    await again.getByRole('button', { name: 'Sign in with this link' }).click()
    await again.getByText('This link has been used, or has expired.').waitFor()
    await setUp.getByRole('link', { name: 'moderator' }).click()
    await setUp.getByLabel('New password').fill(password)
    await setUp.getByRole('button', { name: 'Set a password' }).click()
    await setUp.getByLabel('Current password').waitFor()
    await setUp.getByRole('button', { name: 'Set up' }).click()
    const secret = await setUp.locator('code').first().textContent()
    await setUp.getByLabel('Authenticator code').fill(totpOf(secret ?? ''))
    await setUp.getByRole('button', { name: 'Confirm' }).click()
    await setUp.getByText('Recovery codes left: 10').waitFor()
    const codes = setUp.getByRole('dialog').getByRole('textbox', { name: 'Recovery codes' })
    const recovery = (await codes.inputValue()).split('\n')
    await assertAccessible(setUp, 'recovery codes')

    const view = `${parley.url}/console/apps/${encodeURIComponent(parley.app)}/users/alice`
    const page = await openPage(browser, view, { allow: refused })
    const signIn = async (word: string) => {
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(word)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await signIn('wrong horse battery staple')
    await page.getByText('E-mail, password or code is wrong.').waitFor()
    await signIn(password)
    // A code works once.
    await page.getByLabel('Authenticator code').fill(totpOf(secret ?? '', Date.now() + 30_000))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Alice Müller' }).waitFor()
    assert.equal(page.url(), view)

    await setUp.reload()
    await setUp.getByText('Recovery codes left: 10').waitFor()
    assert.equal(await codes.count(), 0, 'they are shown once')
    await setUp.getByRole('button', { name: 'End', exact: true }).click()
    await done(setUp, 'The session has ended')
    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    await signIn(password)
    assert.match(page.url(), /\/rooms$/)
    await page.getByLabel('Authenticator code').fill(recovery[3] ?? '')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'moderator' }).click()
    await page.getByText('Recovery codes left: 9').waitFor()
  })

  test('users are found while typing, and every action on a user works', async () => {
    const page = await owner.open('/users')
    await page.getByRole('link', { name: 'Bob' }).waitFor()
    await page.getByRole('searchbox').fill('mul')
    await page.waitForURL(/q=mul/)
    await page.getByRole('link', { name: 'Bob' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Alice Müller' }).click()
    await page.getByRole('link', { name: 'Friends' }).waitFor()

    await page.getByRole('button', { name: 'Edit profile' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Alice M.')
    await confirm(page, 'Save')
    await page.getByRole('heading', { name: 'Alice M.' }).waitFor()

    await page.getByRole('button', { name: 'Mute', exact: true }).click()
    await page.getByRole('button', { name: 'Unmute' }).waitFor()
    assert.deepEqual(((await inspect('/admin/clients/alice'))['profile'] as { mute: string[] }).mute, [room])

    await deployment.platform.newUser('carol', { nickname: 'Carol' })
    await page.goto(page.url().replace('alice', 'carol'))
    await page.getByRole('button', { name: 'Issue token' }).click()
    await confirm(page, 'Issue token')
    const token = await page.getByRole('dialog').getByRole('textbox', { name: 'Token' }).inputValue()
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    assert.ok(!(await page.content()).includes(token), 'it is not shown again')
    const headers = { 'im-client-key': deployment.platform.clientKey, 'im-authorization': token }
    const meStatus = async () => (await fetch(`${parley.url}/me`, { headers })).status
    assert.equal(await meStatus(), 200)

    await page.getByRole('button', { name: 'End sessions' }).click()
    await confirm(page, 'End sessions')
    await page.getByText('The user has no tokens').waitFor()
    assert.equal(await meStatus(), 401)
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Ends' }).click()
    await page.getByRole('option', { name: 'In a day' }).click()
    await confirm(page, 'Ban')
    await page.getByText('Banned until').waitFor()
    const { ban } = (await inspect('/admin/clients/carol'))['profile'] as { ban: { untilMS: number } }
    assert.ok(Math.abs(ban.untilMS - Date.now() - 86_400_000) < 3_600_000)
    await page.getByRole('button', { name: 'Lift ban' }).click()
    await confirm(page, 'Lift ban')
    await page.getByText('Banned until').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Erase' }).click()
    assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).isDisabled())
    await page.getByRole('dialog').getByLabel('Type “carol” to confirm').fill('carol')
    await confirm(page, 'Erase')
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
    assert.equal((await owner.call('GET', '/admin/clients/carol')).body.error?.code, 'CLIENT_NOT_FOUND')
  })

  test('a conversation is read after giving a reason: latest, live, search, day, thread, stubs, and actions on messages', async () => {
    const first = await say('the very first one')
    for (let n = 0; n < 60; n++) await say(`line ${n}`)
    const root = await say('a question')
    await say('an answer', { replyTo: root, thread: true }, bob)
    await say('a reply', { replyTo: await say('and you?', {}, bob) })
    const gone = await say('to be deleted')
    await owner.call('DELETE', `/rooms/${room}/messages/${gone}`)
    const page = await owner.open('/rooms')
    await page.getByRole('searchbox').fill('frie')
    await page.getByRole('link', { name: 'Friends' }).click()
    await page.getByText('Why are you reading this conversation?').waitFor()
    await giveReason(page)
    const log = page.getByRole('log', { name: 'Messages' })
    await log.getByText('Deleted').waitFor()
    await say('heard live', {}, bob)
    await log.getByText('heard live').waitFor()
    await log.getByRole('blockquote').getByText('Bob', { exact: true }).waitFor()
    const entries = await owner.call('GET', `/admin/audit?subject=room:${room}`)
    assert.match(JSON.stringify(entries.body.result), /Ticket 4711/)

    await log.getByRole('button', { name: 'Thread · 1' }).click()
    await page.getByRole('log', { name: 'Thread' }).getByText('an answer').waitFor()
    await page.getByRole('searchbox').fill('very first')
    await page.getByRole('complementary', { name: 'Found' }).getByText('the very first one').click()
    await log.locator('.wanted').getByText('the very first one').waitFor()
    assert.match(page.url(), new RegExp(first))
    await page.getByRole('button', { name: 'Go to the latest' }).click()
    await log.getByText('heard live').waitFor()
    await page.getByLabel('Go to a day').fill('2020-01-01')
    await log.getByText('the very first one').waitFor()

    const menu = async (text: string, action: string) => {
      const row = log.getByRole('article').filter({ hasText: text })
      await row.getByRole('button', { name: /^Actions/ }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await menu('the very first one', 'Pin')
    await log.getByText('Pinned').first().waitFor()
    await menu('the very first one', 'Delete for everyone')
    await confirm(page, 'Delete for everyone')
    await log.getByText('Deleted').first().waitFor()
    const { data } = await inspect(`/admin/rooms/${room}/messages?afterTime=0&timeRangeField=createdAt&limit=1`)
    assert.equal((data as { isDeleted: boolean }[])[0]?.isDeleted, true)
  })

  test('a room: members, settings, freezing and deletion', async () => {
    const of = await deployment.platform.newRoom(['alice', 'bob'], { name: 'Club', owner: 'alice' })
    await deployment.platform.newUser('dave', { nickname: 'Dave' })
    await deployment.platform.newUser('doe, jane', { nickname: 'Jane' })
    const page = await owner.open(`/rooms/${of}?tab=members`, { allow: refused })
    await page.getByRole('button', { name: 'Add members' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('dave\ndoe, jane\n')
    await confirm(page, 'Add members')
    const choose = async (name: string, action: string) => {
      await page.getByRole('button', { name: `Actions: ${name}` }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    const member = (name: string) => page.getByRole('row').filter({ hasText: name })
    await member('Jane').waitFor()
    await choose('Bob', 'Make manager')
    await member('Bob').getByText('Manager').waitFor()
    await choose('Bob', 'Ban in this room')
    await confirm(page, 'Ban in this room')
    await member('Bob').getByText('Banned').waitFor()
    await choose('Bob', 'Lift the ban')
    await member('Bob').getByText('Banned').waitFor({ state: 'detached' })
    await choose('Dave', 'Remove from room')
    await confirm(page, 'Remove from room')
    await member('Dave').waitFor({ state: 'detached' })
    await choose('Bob', 'Make owner')
    await page.getByText('Bob becomes the owner.').waitFor()
    assert.equal((await inspect(`/admin/rooms/${of}`))['owner'], 'alice')
    await confirm(page, 'Make owner')
    await member('Bob').getByText('Owner').waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Webhook').fill('nowhere')
    await page.getByRole('button', { name: 'Save' }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'Check your input' })
    await failure.getByText(/^webhook: "nowhere" is neither/).waitFor()
    await page.getByLabel('Webhook').fill('')
    await page.getByLabel('Name', { exact: true }).fill('Chess club')
    await page.getByLabel('Slow mode (seconds)').fill('5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Chess club' }).waitFor()
    await page.getByRole('button', { name: 'Freeze' }).click()
    await confirm(page, 'Freeze')
    await page.getByRole('button', { name: 'Unfreeze' }).waitFor()
    const { name, slowModeS, status, owner: ownedBy } = await inspect(`/admin/rooms/${of}`)
    assert.deepEqual([name, slowModeS, status, ownedBy], ['Chess club', 5, 0, 'bob'])
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel('Type “Chess club” to confirm').fill('Chess club')
    await confirm(page, 'Delete')
    await page.getByRole('heading', { name: 'Rooms' }).waitFor()
    await eventually('the room is deleted', async () => (await owner.call('GET', `/admin/rooms/${of}`)).status === 404)
  })

  test('reports are shown in context and decided singly or in bulk; censored words are listed and tried', async () => {
    for (const text of ['rude one', 'rude two', 'rude three'])
      await alice.call('POST', `/messages/${await say(text, {}, bob)}/report`, { reason: `I mind ${text}` })
    const page = await (await parley.newOperator('moderator')).open('/moderation')
    await giveReason(page)
    const card = (text: string) => page.getByRole('article').filter({ hasText: `I mind ${text}` })
    const reasons = card('rude two').getByRole('list', { name: 'Reasons' })
    await reasons.getByRole('link', { name: 'alice' }).waitFor()
    await card('rude two').getByRole('button', { name: 'Show context' }).click()
    await giveReason(page)
    const context = page.getByRole('log', { name: 'Show context' })
    for (const text of ['rude one', 'rude two', 'rude three']) await context.getByText(text, { exact: true }).waitFor()
    await card('rude two').getByRole('region', { name: 'Both people' }).getByRole('link', { name: 'Bob' }).waitFor()
    await card('rude two').getByRole('button', { name: 'Decide' }).click()
    assert.equal(await page.getByRole('radio', { name: 'Erase sender' }).count(), 0, 'it needs the scope users:write')
    await page.getByRole('radio', { name: 'Delete message' }).check()
    await confirm(page, 'Delete message')
    await card('rude two').waitFor({ state: 'detached' })
    await page.getByLabel('Select all').check()
    await page.getByRole('button', { name: 'Decide' }).first().click()
    await page.getByRole('dialog', { name: 'Decide 2 reports' }).waitFor()
    await confirm(page, 'Dismiss')
    await page.getByText('No open reports').waitFor()
    const { data } = (await inspect('/admin/reports')) as { data: { decision: string }[] }
    const decisions = data.map(({ decision }) => decision)
    assert.deepEqual(decisions.toSorted(), ['delete', 'dismiss', 'dismiss'])
    assert.equal(await page.getByRole('tab', { name: 'Censored words' }).count(), 0, 'requires the scope config:read')

    const words = await owner.open('/moderation?tab=words')
    await words.getByLabel('One word or phrase per line').fill('darn\nbad word')
    await words.getByRole('button', { name: 'Save' }).click()
    await done(words, 'Words saved')
    await words.getByLabel('Uses the saved words').fill('a Darn bad word')
    await words.getByText('a **** ********').waitFor()
  })

  test('a role sees only permitted actions; other URLs are refused, and the API returns 403', async () => {
    const viewer = await parley.newOperator('viewer')
    const page = await viewer.open('/users/bob', { allow: refused })
    await page.getByRole('link', { name: 'Friends' }).waitFor()
    for (const name of ['Edit profile', 'Issue token', 'End sessions', 'Ban', 'Mute'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    assert.equal(await page.getByRole('link', { name: 'Moderation' }).count(), 0)
    await page.getByRole('link', { name: 'Friends' }).click()
    await page.getByRole('heading', { name: 'Friends' }).waitFor()
    assert.equal(await page.getByRole('tab', { name: 'Conversation' }).count(), 0)
    for (const name of ['Freeze', 'Delete', 'Add members'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
    await page.goto(page.url().replace(/\/rooms.*/, '/moderation'))
    await page.getByText('The role Viewer lacks moderation:read or config:read.').waitFor()
    await page.goto(page.url().replace('/moderation', '/settings'))
    await page.getByText('Your role cannot view this').waitFor()
    for (const [method, path] of [
      ['POST', '/admin/clients/bob/ban'],
      ['DELETE', '/admin/clients/bob'],
      ['PUT', `/rooms/${room}`],
      ['DELETE', `/rooms/${room}`],
      ['GET', `/admin/rooms/${room}/messages`],
      ['GET', '/admin/reports'],
      ['POST', '/config'],
    ] as const) {
      const { status, body } = await viewer.call(method, path, method === 'GET' ? undefined : {})
      assert.deepEqual([status, body.error?.code], [403, 'PERMISSION_DENIED'], path)
    }
  })

  test('hostile names and texts stay text within their boxes, also on a phone', async () => {
    const { platform } = deployment
    const names = [html, ...Object.values(hostileNames).filter((name) => !/[\u2028\u2029]/.test(name))]
    const ids = names.map((_name, n) => `hostile ${n}/${html}`)
    for (const [n, nickname] of names.entries()) await platform.newUser(ids[n], { nickname })
    const of = await platform.newRoom(ids, { name: html, owner: ids[0] })
    for (const [n, message] of names.entries())
      await platform.admin('POST', '/messages', { room: of, sender: ids[n], message, messageType: 'text' })
    const isHacked = (page: Page) => page.evaluate(() => 'hacked' in window)
    const first = encodeURIComponent(ids[0] ?? '')
    const small = await owner.open('/users', phone)
    const base = small.url().replace(/\/users$/, '')
    for (const path of ['/users', `/users/${first}`, '/rooms', `/rooms/${of}?tab=members`]) {
      if (path !== '/users') await small.goto(base + path)
      await small.getByText(html).first().waitFor()
      const beyond = await small.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(beyond <= 0, `${path}: ${beyond} pixels beyond the window`)
      assert.doesNotMatch(await small.locator('body').innerText(), /[\u202a-\u202e\u2066-\u2069]/)
      assert.equal(await isHacked(small), false)
    }
    const page = await owner.open(`/rooms/${of}`)
    await giveReason(page)
    const last = page.getByRole('log').getByText(names.at(-1) ?? '')
    await last.last().waitFor()
    assert.equal(await isHacked(page), false)
  })

  test('everything is reachable by keyboard and translated to Chinese', async () => {
    const page = await owner.open('/users')
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await page.keyboard.press('/')
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Users' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Rooms' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Moderation').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('bob')
    await page.getByRole('option', { name: 'Open user bob' }).click()
    await page.getByRole('heading', { name: 'Bob' }).waitFor()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    await page.getByRole('heading', { name: '资料' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: '资料' }).waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh')
  })

  test.for([
    ['light on a desktop', { colorScheme: 'light' }],
    ['dark on a phone', { colorScheme: 'dark', ...phone }],
  ] as const)('axe finds nothing in any view, %s', async ([, options]) => {
    const page = await owner.open('/users', options)
    const base = page.url().replace(/\/users$/, '')
    const look = async (path: string, there: string, withReason = false) => {
      if (page.url() !== base + path) await page.goto(base + path)
      if (withReason) await giveReason(page)
      await page.getByText(there).first().waitFor()
      await assertAccessible(page, `${path} ${JSON.stringify(options)}`)
    }
    await look('/users', 'Alice M')
    await look('/users/alice', 'Friends')
    await page.getByRole('button', { name: 'Ban', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await assertAccessible(page, 'a dialog')
    await look('/rooms', 'Friends')
    await look(`/rooms/${room}?tab=members`, 'Alice M')
    await look(`/rooms/${room}?tab=settings`, 'Slow mode')
    await look('/moderation?status=decided', 'Dismissed', true)
    await look('/moderation?tab=words', 'Try a text')
    await look('/settings', 'Chat page appearance')
    await look('/settings?tab=app', 'Delivery markers')
    await look(`/rooms/${room}`, 'heard live', true)
  })
})
