import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { describe, onTestFinished, test } from 'vitest'
import { aliceAndBob } from './alice-and-bob.ts'
import type { ChatTab } from './chat-tab.ts'
import { isChromiumMissing } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: appearance', () => {
  const { deployment, alice, bob, newRoom, say, open } = aliceAndBob()

  test('integrators set texts by language in the app’s configuration or in the URL, which takes precedence', async () => {
    const chatPage = {
      texts: { en: { emptyRoom: 'Ask us', emptyRoomHint: 'We are here' }, zh: { emptyRoom: '请提问' } },
    }
    await deployment.platform.admin('POST', '/config', { chatPage })
    onTestFinished(async () => void (await deployment.platform.admin('DELETE', '/config/chatPage')))
    const room = await newRoom()
    const texts = JSON.stringify({ emptyRoomHint: 'Until six' })
    const { page } = await open(alice, room, { parameters: { texts } })
    await page.getByText('Ask us').waitFor()
    await page.getByText('Until six').waitFor()
    await page.reload()
    await page.getByText('Ask us').waitFor()
    await page.getByText('Until six').waitFor()
    const wrong = { noToken: 'Call us', signedOut: 'Call us', signedOutHint: 'Call us' }
    const stranger = await open({ ...alice, token: 'none' }, room, { parameters: { texts: JSON.stringify(wrong) } })
    await stranger.page.getByText('You are signed out').waitFor()
    assert.equal(await stranger.page.getByText('Call us').count(), 0, 'not without a login')
    const chinese = await open(alice, room, { parameters: { lang: 'zh' } })
    await chinese.page.getByText('请提问').waitFor()
    await chinese.page.getByText('打个招呼吧！').waitFor()
  })

  test('only pages in a language load it', async () => {
    const room = await newRoom()
    const filesOf = async (lang: string) => {
      const { page } = await open(alice, room, { parameters: { lang } })
      await page.getByRole('textbox').first().waitFor()
      const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
      assert.equal(await page.locator('html').getAttribute('lang'), lang)
      return files.filter((file) => file.endsWith('.js')).length
    }
    assert.equal(await filesOf('zh-CN'), (await filesOf('en-GB')) + 1)
  })

  /** The distances of each line of a message's text from the sides of its container. */
  const linesOf = (text: Locator) =>
    text.evaluate((element) => {
      const around = element.closest('.content')?.getBoundingClientRect()
      const range = document.createRange()
      range.selectNodeContents(element)
      const lines = [...range.getClientRects()].filter(({ width }) => width > 1)
      return lines.map(({ left, right }) => [left - (around?.left ?? 0), (around?.right ?? 0) - right].map(Math.round))
    })

  test('each paragraph is aligned by its own direction, in pages of either direction', async () => {
    const room = await newRoom()
    const paragraphs = 'مرحبا\nThis paragraph is much longer than the one above\nسلام'
    await say(bob, room, paragraphs)
    await say(bob, room, 'This one is long enough to have the time under it\nshort')
    const { page } = await open(alice, room)
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate((dir) => Object.assign(document.documentElement, { dir }), direction)
      const texts = page.getByRole('log').locator('.text')
      await texts.nth(1).waitFor()
      const [[, arabicEnd] = [], [englishStart] = [], [, lastEnd] = []] = await linesOf(texts.first())
      assert.deepEqual([arabicEnd, englishStart, lastEnd], [0, 0, 0], direction)
      const starts = (await linesOf(texts.nth(1))).map(([start]) => start)
      assert.deepEqual(starts, [0, 0], direction)
    }
  })

  test('a page in Arabic runs right to left; a long English name shows its beginning', async () => {
    const name = 'A name that is far too long for the head of a room, whatever the size of the page may be, and longer'
    const room = await newRoom([alice, bob], { name })
    await say(bob, room, 'Hello')
    const { page } = await open(alice, room, { parameters: { lang: 'ar' } })
    await page.getByRole('heading', { name }).waitFor()
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl')
    const [list, view] = await Promise.all([centreOf(page.locator('.side')), centreOf(page.locator('.main'))])
    assert.ok(list[0] > view[0], 'the list is at the right')
    const title = await page.locator('.room-head .view-title').evaluate((element) => {
      const { direction, textAlign } = getComputedStyle(element)
      return { direction, textAlign, isCut: element.scrollWidth > element.clientWidth }
    })
    assert.deepEqual(title, { direction: 'ltr', textAlign: 'right', isCut: true })
  })

  test('"Today" becomes "Yesterday" at midnight, in the room and in the list', async () => {
    const room = await newRoom()
    await say(bob, room, 'Good night')
    const { page } = await open(alice, room)
    await page.clock.install({ time: new Date().setHours(23, 59, 50) })
    await page.reload()
    await page.getByText('Today', { exact: true }).waitFor()
    await page.clock.fastForward(15_000)
    await page.getByText('Yesterday', { exact: true }).waitFor()
    const weekday = new Intl.DateTimeFormat('en', { weekday: 'short' }).format(Date.now())
    await page.locator('[aria-current] time').getByText(weekday, { exact: true }).waitFor()
  })

  test('read and delivered differ even without colours', async () => {
    const room = await newRoom()
    const read = await say(alice, room, 'Are you there?')
    const { page } = await open(alice, room)
    const bobs = await open(bob, await newRoom([alice, bob], { name: 'Other' }))
    await bobs.page.getByRole('textbox', { name: 'Message' }).waitFor()
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: read })
    await say(alice, room, 'Hello?')
    const mark = (name: string) => page.locator('.delivery').filter({ has: page.getByText(name, { exact: true }) })
    const groundOf = (name: string) => mark(name).evaluate((element) => getComputedStyle(element).backgroundColor)
    await mark('Delivered').waitFor()
    assert.equal(await groundOf('Delivered'), 'rgba(0, 0, 0, 0)')
    assert.notEqual(await groundOf('Read'), 'rgba(0, 0, 0, 0)')
  })

  test('a notice is shown and announced on top of a dialog', async () => {
    const { page } = await open(alice, await newRoom(), { allow: /Failed to load resource/ })
    await page.getByRole('button', { name: 'Details' }).click()
    await page.route(/\/mute/, (route) => route.abort())
    const dialog = page.getByRole('dialog', { name: 'Details' })
    await dialog.getByRole('button', { name: 'Mute', exact: true }).click()
    const notice = dialog.getByRole('status').getByText('No connection. Try again.')
    await notice.waitFor()
    const isOnTop = await notice.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      element.closest<HTMLElement>('.notice')?.style.setProperty('pointer-events', 'auto')
      return document.elementFromPoint(left + width / 2, top + height / 2) === element
    })
    assert.ok(isOnTop)
    assert.equal(await page.getByText('No connection. Try again.').count(), 1, 'once')
  })

  test('a person has the same colour everywhere', async () => {
    const room = await deployment.platform.newRoom([alice.id, bob.id], { roomType: 'direct' })
    await say(bob, room, 'Hello')
    await newRoom([alice, bob], { name: 'Both' })
    const { page, sees } = await open(alice, room)
    await sees('Hello')
    const colour = (where: string) =>
      page.locator(where).evaluate((element) => getComputedStyle(element).backgroundColor)
    const bobs = await colour('.message .avatar')
    assert.deepEqual([await colour('.room-head .avatar'), await colour('[aria-current] .avatar')], [bobs, bobs])
  })

  test('empty states are centred, also on a phone', async () => {
    const off = (element: Locator, frame: Locator) =>
      centreOf(element).then(async (at) => {
        const middle = await centreOf(frame)
        return [Math.round(at[0] - middle[0]), Math.round(at[1] - middle[1])]
      })
    const carl = await deployment.platform.newUser('carl', { nickname: 'Carl' })
    const { page } = await open(alice, await newRoom())
    const none = await open(carl, '')
    for (const viewport of [
      { width: 1120, height: 720 },
      { width: 360, height: 640 },
    ]) {
      await page.setViewportSize(viewport)
      await page.getByText('No messages yet').waitFor()
      assert.deepEqual(await off(page.locator('.log .nothing'), page.getByRole('log')), [0, 0])
      await none.page.setViewportSize(viewport)
      await none.page.getByText('No chats yet').first().waitFor()
      const [across = 9] = await off(none.page.locator('.side .nothing'), none.page.locator('.side'))
      assert.ok(Math.abs(across) <= 1, String(across))
      assert.equal(await none.page.getByText('Choose a chat to begin').count(), 0)
    }
  })

  test('without chats the page offers to start one, if the app allows it', async () => {
    await deployment.platform.admin('POST', '/config', { directory: 'all' })
    onTestFinished(async () => void (await deployment.platform.admin('DELETE', '/config/directory')))
    const erin = await deployment.platform.newUser('erin', { nickname: 'Erin' })
    const { page } = await open(erin, '')
    await page.getByRole('button', { name: 'Start a chat' }).click()
    await page.getByRole('dialog', { name: 'New chat' }).waitFor()
  })

  test('the Enter key of a phone is labelled with its action', async () => {
    const room = await newRoom()
    const hint = ({ page }: ChatTab) => page.getByRole('textbox', { name: 'Message' }).getAttribute('enterkeyhint')
    assert.equal(await hint(await open(alice, room)), 'send')
    assert.equal(await hint(await open(alice, room, { hasTouch: true, isMobile: true })), 'enter')
  })

  test('on a phone every view has a first heading', async () => {
    const room = await newRoom()
    const about = await say(bob, room, 'Who drives?')
    await say(alice, room, 'I do', { replyTo: about, thread: true })
    const { page } = await open(alice, room, { viewport: { width: 360, height: 640 } })
    await page.getByRole('heading', { level: 1, name: 'Friends' }).waitFor()
    await page.getByRole('button', { name: /1 reply/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Thread' }).waitFor()
    await page.setViewportSize({ width: 1120, height: 720 })
    await page.getByRole('heading', { level: 2, name: 'Thread' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Chats' }).waitFor()
  })

  test('shortcuts open help, search, rooms, and the user’s last message', async () => {
    const dora = await deployment.platform.newUser('dora', { nickname: 'Dora' })
    await newRoom([alice, dora], { name: 'Below' })
    const room = await newRoom([alice, dora], { name: 'Above' })
    await say(dora, room, 'Helo')
    const { page, sees } = await open(dora, room)
    await sees('Helo')
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.press('Control+/')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Edit your last message').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await field.press('ArrowUp')
    await page.getByText('Editing').waitFor()
    assert.equal(await field.inputValue(), 'Helo')
    await field.press('Escape')
    await field.press('Control+k')
    await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByRole('region', { name: 'Below' }).waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByRole('region', { name: 'Above' }).waitFor()
  })

  test('a mouse shows no focus ring; the keyboard does', async () => {
    const room = await newRoom()
    await say(bob, room, 'Hello')
    const { page, sees } = await open(alice, room)
    await sees('Hello')
    const ring = (element: Locator) =>
      element.evaluate((shown) => {
        const { outlineStyle, boxShadow } = getComputedStyle(shown)
        return outlineStyle !== 'none' || boxShadow !== 'none'
      })
    const field = page.getByRole('textbox', { name: 'Message' })
    assert.equal(await ring(field.and(page.locator(':focus'))), false, 'the page gave it the focus')
    await field.click()
    assert.equal(await ring(field.and(page.locator(':focus'))), false, 'a click')
    await page.getByRole('article').hover()
    await page.getByRole('button', { name: 'Actions' }).click()
    const item = page.getByRole('menuitem').and(page.locator(':focus'))
    assert.equal(await ring(item), false, 'the first of a menu')
    await page.keyboard.press('ArrowDown')
    assert.equal(await ring(item), true, 'by a key')
    await page.keyboard.press('Escape')
    await field.focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    assert.equal(await ring(field.and(page.locator(':focus'))), true, 'by Tab')
  })
})

async function centreOf(element: Locator): Promise<[number, number]> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await element.boundingBox()) ?? {}
  return [x + width / 2, y + height / 2]
}
