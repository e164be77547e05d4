import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { underPath } from '../client/under-path.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { type ChatTab, openChat, openPage, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { hostsEvents, serveHostPage } from './host-page.ts'
import { countFiles } from './kept-files.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser, embedded in an app', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(1, [], { PARLEY_GATEWAY_CHAT_FRAME_ANCESTORS: '*' })
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
  })
  afterAll(() => deployment.stop())

  const base = () => `http://127.0.0.1:${deployment.front.port}`
  const newUser = () => deployment.platform.newUser()
  const newRoom = (user: PlatformUser, name = 'Room') =>
    deployment.platform.newRoom([alice.id, user.id], { name, owner: alice.id })
  const say = (room: string, message: string) =>
    alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
  const open = (user: PlatformUser, parameters: Record<string, string>, options: TabOptions = {}) =>
    openChat(browser, base(), user, {
      ...options,
      parameters: { lang: 'en', ...parameters },
    })
  const fieldOf = ({ page }: ChatTab) => page.getByRole('textbox', { name: 'Message' })

  test('a session that ends while typing keeps the conversation and the draft', async () => {
    const user = await newUser()
    const room = await newRoom(user)
    await say(room, 'before')
    const tab = await open(user, { room }, { allow: /Failed to load resource/ })
    await tab.sees('before')
    await fieldOf(tab).fill('half a sen')
    await deployment.platform.admin('DELETE', `/admin/clients/${user.id}/token`, {})
    await tab.page.getByText('You are signed out').waitFor()
    await tab.page.getByRole('button', { name: 'Try again' }).waitFor()
    await tab.sees('before')
    assert.equal(await fieldOf(tab).inputValue(), 'half a sen')
  })

  test('drafts with reply, mentions and files survive switching rooms and a reload', async () => {
    const user = await newUser()
    const [room, other] = [await newRoom(user), await newRoom(user, 'Other')]
    await say(room, 'Who comes?')
    await say(other, 'elsewhere')
    const tab = await open(user, { room })
    await tab.choose('Who comes?', 'Reply')
    await fieldOf(tab).pressSequentially('@Ali')
    await tab.page.getByRole('option', { name: 'Alice' }).click()
    await fieldOf(tab).pressSequentially('and I')
    const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') }
    await tab.page.locator('.composer input[type=file]').setInputFiles(file)
    const chosen = tab.page.locator('.chosen-file')
    await chosen.getByText(/^8/).waitFor()
    const row = tab.page.getByRole('button', { name: /^Room/ })
    const preview = async () =>
      (await row.locator('.preview').getAttribute('data-text'))?.replaceAll(/[\u2068\u2069]/g, '')
    assert.doesNotMatch((await preview()) ?? '', /Draft/)
    await tab.page.getByRole('button', { name: /^Other/ }).click()
    await tab.sees('elsewhere')
    assert.equal(await fieldOf(tab).inputValue(), '')
    assert.equal(await preview(), 'Draft: @Alice and I')
    await tab.page.reload()
    await tab.sees('elsewhere')
    assert.equal(await preview(), 'Draft: @Alice and I')
    await row.click()
    await tab.sees('Who comes?')
    await tab.page.getByText('Replying to').waitFor()
    await chosen.waitFor()
    assert.equal(await fieldOf(tab).inputValue(), '@Alice and I')
    await tab.page.getByRole('button', { name: 'Send' }).click()
    const sent = await eventually('it is sent', async () => {
      const { data } = await user.call('GET', `/rooms/${room}/messages/v3?limit=1`)
      const [last] = data as { message: unknown; mentions?: string[]; replyTo?: object; attachments?: object[] }[]
      return last?.message === '@Alice and I' ? last : undefined
    })
    assert.deepEqual(sent.mentions, [alice.id])
    assert.ok(sent.replyTo)
    assert.equal(sent.attachments?.length, 1)
    await tab.page.getByRole('button', { name: /^Other/ }).click()
    await eventually('the list marks it no longer', async () => (await preview())?.startsWith('You:'))
  })

  test('a foreign room shows a notice, and opens once the user may enter', async () => {
    const user = await newUser()
    await say(await newRoom(user), 'elsewhere')
    const foreign = await deployment.platform.newRoom([alice.id], { name: 'Foreign', owner: alice.id })
    const tab = await open(user, { room: foreign })
    await tab.page.getByText('This chat isn’t available to you').waitFor()
    assert.equal(await fieldOf(tab).count(), 0)
    const phone = await open(user, { room: foreign }, { viewport: { width: 390, height: 800 } })
    await phone.page.getByText('This chat isn’t available to you').waitFor()
    await phone.page.getByRole('button', { name: 'Back to the list' }).click()
    await phone.page.getByRole('button', { name: /^Room/ }).waitFor()
    await say(foreign, 'welcome')
    await deployment.platform.admin('POST', `/rooms/${foreign}/members`, { invitees: [user.id] })
    await tab.sees('welcome')
  })

  test('rooms=hide shows a single conversation, even a hidden one', async () => {
    const user = await newUser()
    const room = await newRoom(user)
    await say(room, 'alone')
    await user.call('POST', `/roomPrefs/${room}`, { hidden: true })
    for (const width of [390, 1200]) {
      const tab = await open(user, { room, rooms: 'hide' }, { viewport: { width, height: 800 } })
      await tab.sees('alone')
      assert.equal(await tab.page.getByRole('navigation').count(), 0)
      assert.equal(await tab.page.getByRole('button', { name: 'Back to the list' }).count(), 0)
      await tab.page.reload()
      await tab.sees('alone')
      assert.equal(await tab.page.getByRole('navigation').count(), 0)
    }
  })

  test('embed.js: the host page provides tokens, opens rooms and gets events', async () => {
    const user = await newUser()
    const [room, other] = [await newRoom(user), await newRoom(user, 'Other')]
    const hidden = await newRoom(user, 'Hidden')
    await user.call('POST', `/roomPrefs/${hidden}`, { hidden: true })
    await say(room, 'see https://example.com/page')
    const issue = async () =>
      String(
        (await deployment.platform.admin('POST', '/admin/clients', { _id: user.id, issueAccessToken: true }))['token'],
      )
    let token = issue()
    const host = await serveHostPage(`${base()}/chat/embed.js`, async (refused) => {
      if (refused) token = issue()
      return token
    })
    const page = await openPage(browser, `${host}?room=${room}`, {
      elsewhere: [new URL(base()).host],
      allow: /Failed to load resource/,
    })
    const frame = page.frameLocator('iframe')
    const heard = (what: string) =>
      eventually(`the host hears ${what}`, async () => (await hostsEvents(page)).includes(what))
    const call = (code: string) => page.evaluate(code)
    await heard('ready')
    await heard(`room ${room}`)
    await heard('unread 0')
    await say(other, 'one more')
    await say(other, 'over there')
    await heard('unread 2')
    await say(hidden, 'not counted')
    assert.equal(await frame.getByRole('button', { name: /notifications/i }).count(), 0)
    await frame.getByRole('log').getByRole('link', { name: 'https://example.com/page' }).click()
    await heard('link https://example.com/page')
    assert.equal(page.context().pages().length, 1)
    await call(`chat.openRoom(${JSON.stringify(other)})`)
    await frame.getByRole('log').getByText('over there', { exact: true }).waitFor()
    await heard(`room ${other}`)
    await call("chat.setTheme('dark')")
    await frame.locator('html[data-theme=dark]').waitFor()
    await call("chat.setLanguage('zh')")
    await frame.getByRole('heading', { name: '聊天' }).waitFor()
    await call("chat.setTexts({ chats: 'Postfach' })")
    await frame.getByRole('heading', { name: 'Postfach' }).waitFor()

    // Another origin may not change the look.
    const look = { parley: 1, type: 'look', look: { name: 'Elsewhere', texts: { zh: { chats: 'Elsewhere' } } } }
    await call(`chat.frame.contentWindow.postMessage(${JSON.stringify(look)}, '*')`)
    // Both sides ignore messages from other windows.
    await call("window.postMessage({ parley: 1, type: 'closed' }, '*')")
    await frame.locator('body').evaluate(() => window.postMessage({ parley: 1, type: 'theme', theme: 'light' }, '*'))
    await frame.getByRole('textbox').last().fill('a draft')
    // Issuing another token ends the current one.
    await issue()
    await heard('token refused')
    await say(other, 'still here')
    await frame.getByRole('log').getByText('still here', { exact: true }).waitFor()
    await frame.locator('html[data-theme=dark]').waitFor()
    await frame.getByRole('heading', { name: 'Postfach' }).waitFor()
    const addresses = page.frames().map((one) => one.url())
    for (const address of addresses) assert.doesNotMatch(address, /token/)
    const inner = page.frames().at(-1)
    assert.match((await inner?.evaluate(() => Object.values(sessionStorage).join(' '))) ?? '', /a draft/)
    await page.route(/\/content\?/, () => undefined)
    const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') }
    await frame.locator('.composer input[type=file]').setInputFiles(file)
    await eventually('it is kept', async () => (await inner?.evaluate(countFiles)) === 1)
    assert.equal((await hostsEvents(page)).includes('unread 3'), false)
    await call('chat.logOut()')
    await heard('closed')
    assert.equal(await page.locator('iframe').count(), 0)
    const later = await page.context().newPage()
    await later.goto(`${base()}/chat/icon.svg`)
    assert.equal(await later.evaluate(countFiles), 0)
  })

  test('embed.js: early calls, links opened from the page, and the close button', async () => {
    const user = await newUser()
    const [room, other] = [await newRoom(user), await newRoom(user, 'Other')]
    const link = `${base().replace('127.0.0.1', 'plain.test')}/chat/icon.svg`
    await say(other, link)
    const host = await serveHostPage(`${base()}/chat/embed.js`, async () => user.token)
    const open = (query: string, viewport: TabOptions['viewport'] = { width: 1100, height: 700 }) =>
      openPage(browser, `${host}?${query}`, { elsewhere: [new URL(base()).host], viewport })
    const page = await open(`room=${room}&early=${other}&links=page&theme=dark`)
    const frame = page.frameLocator('iframe')
    await frame.locator('html[data-theme=dark]').waitFor()
    const opened = page.context().waitForEvent('page')
    await frame.getByRole('log').getByRole('link', { name: link }).click()
    await eventually('the host hears of it', async () => (await hostsEvents(page)).includes(`link ${link}`))
    await eventually('a tab has it', async () => (await opened).url() === link)
    assert.equal(await (await opened).evaluate(() => window.opener === null), true)

    const close = (of: typeof page) => of.frameLocator('iframe').getByRole('button', { name: 'Close the chat' })
    const phone = { width: 390, height: 700 }
    const views = [
      page,
      await open(`room=${room}`, phone),
      await open(`room=${room}&rooms=hide`),
      // A foreign room, with and without the list.
      await open('room=none', phone),
      await open('room=none&rooms=hide', phone),
    ]
    for (const view of views) {
      await eventually('there is one button', async () => (await close(view).locator('visible=true').count()) === 1)
      await close(view).locator('visible=true').click()
      await eventually('the host hears of it', async () => (await hostsEvents(view)).includes('closed'))
      assert.equal(await view.locator('iframe').count(), 0)
    }
  })

  test('a page with another configured host gets nothing from the frame', async () => {
    const host = await serveHostPage(`${base()}/chat/embed.js`, async () => '')
    const page = await openPage(browser, `${host}?nothing`, {
      elsewhere: [new URL(base()).host],
      allow: /Failed to execute 'postMessage'|does not match the recipient/,
    })
    await page.evaluate((src) => {
      window.addEventListener('message', ({ data }) => Object.assign(window, { got: data }))
      const frame = document.createElement('iframe')
      frame.src = src
      document.body.append(frame)
      return new Promise((resolve) => frame.addEventListener('load', resolve))
    }, `${base()}/chat?host=https://elsewhere.example`)
    await page.frameLocator('iframe').getByText('Loading…').first().waitFor({ state: 'attached' })
    assert.equal(await page.evaluate(() => 'got' in window), false)
  })

  test('a missing file makes the page reload once, without a token in the URL', async () => {
    const user = await newUser()
    const room = await newRoom(user)
    await say(room, 'there it is')
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    let refused = 0
    let max = 1
    await page.route(/\/chat\/index-.*\.js$/, (route) =>
      ++refused <= max ? route.fulfill({ status: 404, body: 'none' }) : route.continue(),
    )
    const address = `${base()}/chat?${new URLSearchParams({ token: user.token, room, lang: 'en' })}`
    await page.goto(address)
    await page.getByRole('log').getByText('there it is').waitFor()
    assert.equal(refused, 2)
    max = Number.POSITIVE_INFINITY
    await page.goto(address)
    await page.getByText('The chat could not be loaded.').waitFor()
    assert.equal(refused, 4)
    assert.doesNotMatch(page.url(), /token/)
  })

  test('works under a proxy path', async () => {
    const user = await newUser()
    const room = await newRoom(user)
    await say(room, 'under a path')
    const url = await underPath('/chat-api', deployment)
    const tab = await openChat(browser, url, user, { parameters: { room, lang: 'en' } })
    await tab.sees('under a path')
    await tab.send('and back')
    await eventually('it is sent', async () => {
      const { data } = await user.call('GET', `/rooms/${room}/messages/v3?limit=1`)
      return (data as { message: unknown }[])[0]?.message === 'and back'
    })
  })

  test('works over plain HTTP without storage, notifications or Intl.Segmenter', async () => {
    const user = await newUser()
    const room = await newRoom(user)
    await say(room, 'plainly')
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('requestfailed', (request) => complaints.push(request.url()))
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('denied', 'SecurityError')
          },
        })
      }
      Reflect.deleteProperty(Intl, 'Segmenter')
      Reflect.deleteProperty(window, 'Notification')
    })
    const parameters = new URLSearchParams({ token: user.token, room, lang: 'en' })
    await page.goto(`${base().replace('127.0.0.1', 'plain.test')}/chat?${parameters}`)
    await page.getByRole('log').getByText('plainly', { exact: true }).waitFor()
    assert.equal(await page.evaluate(() => window.isSecureContext), false)
    await page.getByRole('textbox', { name: 'Message' }).fill('and on')
    await page.getByRole('button', { name: 'Send' }).click()
    await eventually('it is sent', async () => {
      const { data } = await user.call('GET', `/rooms/${room}/messages/v3?limit=1`)
      return (data as { message: unknown }[])[0]?.message === 'and on'
    })
    const row = page.getByRole('article').filter({ hasText: 'plainly' })
    await row.hover()
    await row.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy text' }).click()
    await page.getByText(/Copied|did not work/).waitFor()
    assert.deepEqual(complaints, [])
  })
})
