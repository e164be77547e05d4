import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { eventually } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import type { ChatTab } from './chat-tab.ts'
import { isChromiumMissing } from './chromium.ts'
import { onePixel } from './one-pixel.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: two users on two nodes', () => {
  const { deployment, alice, bob, newRoom, open } = aliceAndBob(2)

  async function openBoth(room: string): Promise<[ChatTab, ChatTab]> {
    deployment.connectTo(0)
    const alices = await open(alice, room)
    await alices.page.getByRole('textbox', { name: 'Message' }).waitFor()
    deployment.connectTo(1)
    const bobs = await open(bob, room)
    await bobs.page.getByRole('textbox', { name: 'Message' }).waitFor()
    return [alices, bobs]
  }

  test('a message appears once for both; the other user sees typing, and the sender sees that it was read', async () => {
    const [alices, bobs] = await openBoth(await newRoom())
    await alices.page.getByRole('textbox', { name: 'Message' }).pressSequentially('Hello')
    await bobs.page.getByText('Alice is typing…').waitFor()
    await alices.page.keyboard.press('Enter')
    await alices.sees('Hello')
    await bobs.sees('Hello')
    await bobs.page.getByText('Alice is typing…').waitFor({ state: 'detached' })
    await alices.page.getByRole('log').getByText('Read', { exact: true }).waitFor()
    await bobs.send('Hi Alice')
    await alices.sees('Hi Alice')
    assert.deepEqual(await alices.texts(), ['Hello', 'Hi Alice'])
    assert.deepEqual(await bobs.texts(), ['Hello', 'Hi Alice'])
  })

  test('an edit, a reaction, a pin, a recall and a deletion reach the other user', async () => {
    const [alices, bobs] = await openBoth(await newRoom())
    await alices.send('Helo')
    await bobs.sees('Helo')
    await alices.choose('Helo', 'Edit')
    await alices.page.getByRole('textbox', { name: 'Message' }).fill('Hello')
    await alices.page.getByRole('button', { name: 'Save' }).click()
    await bobs.sees('Hello')
    await bobs.page.getByRole('log').getByText('edited').waitFor()
    await bobs.choose('Hello', 'React with 👍')
    await alices.page.getByRole('button', { name: /^👍 1 by Bob$/ }).click()
    await bobs.page.getByRole('button', { name: /^👍 2 by (You, Alice|Alice, You)$/ }).waitFor()
    await bobs.choose('Hello', 'Pin')
    await alices.page.getByRole('button', { name: 'Pinned: Hello' }).waitFor()
    await alices.choose('Hello', 'Recall')
    await alices.page.getByRole('dialog').getByRole('button', { name: 'Recall' }).click()
    await bobs.sees('Message recalled')
    await alices.send('Gone soon')
    await bobs.sees('Gone soon')
    await alices.choose('Gone soon', 'Delete')
    await alices.page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }).click()
    await bobs.sees('Message deleted')
  })

  test('a reply shows the current state of the quoted message; a click leads to it', async () => {
    const [alices, bobs] = await openBoth(await newRoom())
    await alices.send('Where do we meet?')
    await bobs.choose('Where do we meet?', 'Reply')
    await bobs.page.getByText('Replying to Alice').waitFor()
    await bobs.page.keyboard.press('Escape')
    await bobs.page.getByText('Replying to Alice').waitFor({ state: 'detached' })
    await bobs.choose('Where do we meet?', 'Reply')
    await bobs.page
      .locator(':focus')
      .and(bobs.page.getByRole('textbox', { name: 'Message' }))
      .waitFor()
    await bobs.page.keyboard.type('At the bridge')
    await bobs.page.keyboard.press('Enter')
    await bobs.page.getByText('Replying to Alice').waitFor({ state: 'detached' })
    const quote = (tab: ChatTab, name: string) => tab.page.getByRole('log').getByRole('button', { name, exact: true })
    await quote(alices, 'In reply to You: Where do we meet?').waitFor()
    await alices.choose('Where do we meet?', 'Edit')
    await alices.page.getByRole('textbox', { name: 'Message' }).fill('Where shall we meet?')
    await alices.page.getByRole('button', { name: 'Save' }).click()
    await quote(bobs, 'In reply to Alice: Where shall we meet?').click()
    await bobs.page.locator('.is-found').getByText('Where shall we meet?', { exact: true }).waitFor()
    await alices.choose('Where shall we meet?', 'Delete')
    await alices.page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }).click()
    await quote(bobs, 'In reply to Alice: Message deleted').waitFor()
    assert.deepEqual(await bobs.texts(), ['Message deleted', 'At the bridge'])
  })

  test('a thread opens beside the room, is live for both users, and is counted under its message', async () => {
    const [alices, bobs] = await openBoth(await newRoom())
    await alices.send('Who brings what?')
    await bobs.choose('Who brings what?', 'Reply in thread')
    const thread = ({ page }: ChatTab) => page.getByRole('region', { name: 'Thread' })
    const write = async (tab: ChatTab, text: string) => {
      await thread(tab).getByRole('textbox', { name: 'Reply in thread' }).fill(text)
      await tab.page.keyboard.press('Enter')
    }
    const seesInThread = (tab: ChatTab, text: string) =>
      thread(tab).getByRole('log').getByText(text, { exact: true }).waitFor()
    await write(bobs, 'Bread')
    await seesInThread(bobs, 'Bread')
    await alices.page.getByRole('button', { name: /1 reply 1 unread$/ }).click()
    await seesInThread(alices, 'Bread')
    await alices.page.getByRole('button', { name: /1 reply$/ }).waitFor()
    await write(alices, 'Wine')
    await seesInThread(bobs, 'Wine')
    await thread(bobs).getByText('2 replies', { exact: true }).waitFor()
    assert.equal(await alices.page.getByRole('log', { name: 'Messages', exact: true }).getByText('Wine').count(), 0)
    await alices.page.keyboard.press('Escape')
    await thread(alices).waitFor({ state: 'detached' })
    await write(bobs, 'Cheese')
    await alices.page.getByRole('button', { name: /3 replies 1 unread$/ }).waitFor()
  })

  test('files are sent with a text or alone; pictures are shown, others can be saved', async () => {
    const [alices, bobs] = await openBoth(await newRoom())
    const picture = { name: 'dot.png', mimeType: 'image/png', buffer: onePixel }
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Bring sunglasses') }
    const choose = (files: (typeof picture)[]) => alices.page.locator('input[type=file]').setInputFiles(files)
    await choose([picture, notes])
    await alices.page.getByRole('button', { name: 'Remove notes.txt' }).click()
    await alices.send('Look at this')
    await bobs.sees('Look at this')
    const shown = bobs.page.getByRole('log').getByRole('button', { name: 'dot.png' }).locator('img')
    await shown.waitFor()
    await eventually('the picture is loaded', () =>
      shown.evaluate((image: HTMLImageElement) => image.naturalWidth === 1),
    )
    await choose([notes])
    await alices.page.getByText('16 bytes', { exact: true }).waitFor()
    await alices.page.getByRole('button', { name: 'Send' }).click()
    const saved = bobs.page.waitForEvent('download')
    await bobs.page.getByRole('log').getByRole('button', { name: 'notes.txt, 16 bytes' }).click()
    assert.equal((await saved).suggestedFilename(), 'notes.txt')
  })

  test("a direct room shows the other user's presence", async () => {
    const room = await deployment.platform.newRoom([alice.id, bob.id], { roomType: 'direct' })
    const { page } = await open(alice, room)
    const head = page.locator('.room-head')
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    const bobs = await open(bob, room)
    await head.getByText('Online', { exact: true }).waitFor()
    await page.locator('.room-row .presence.online').first().waitFor()
    await bobs.page.close()
    await head.getByText(/^Last seen /).waitFor()
  })

  test('a mention is completed, and a link opens a new tab without access to the page', async () => {
    const [alices, bobs] = await openBoth(await newRoom())
    const field = alices.page.getByRole('textbox', { name: 'Message' })
    await field.pressSequentially('See https://example.com/a_(b), @bo')
    await alices.page.getByRole('option', { name: 'Bob' }).waitFor()
    await alices.page.keyboard.press('Enter')
    assert.equal(await field.inputValue(), 'See https://example.com/a_(b), @Bob ')
    await alices.page.keyboard.press('Enter')
    const link = bobs.page.getByRole('link', { name: 'https://example.com/a_(b)', exact: true })
    await link.waitFor()
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow')
    assert.equal(await bobs.page.locator('.mentions-me .mention').textContent(), '@Bob')
  })

  test('unread messages are counted in the title and on the room, and follow a divider, until seen', async () => {
    const [first, second] = [
      await newRoom([alice, bob], { name: 'First' }),
      await newRoom([alice, bob], { name: 'Second' }),
    ]
    const say = (room: string, message: string) =>
      deployment.platform.admin('POST', '/messages', { room, sender: alice.id, message, messageType: 'text' })
    await say(first, 'one')
    const { page, sees } = await open(bob, second)
    await page.getByRole('button', { name: /^First .* 1 unread$/ }).waitFor()
    await say(first, 'two')
    const row = page.getByRole('button', { name: /^First .* 2 unread$/ })
    await row.waitFor()
    await eventually('the title has the number', async () => /^\(\d+\) /.test(await page.title()))
    await row.click()
    await sees('two')
    await page.getByText('New messages', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^First .*Alice: two$/ }).waitFor()
  })

  test('hostile texts are shown literally and break nothing', async () => {
    const room = await newRoom()
    const script = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    const texts = [
      script,
      'x'.repeat(3_000),
      '\u202Ereversed\u202D',
      '😀'.repeat(500),
      'javascript:alert(1)',
      '{"a":1}',
    ]
    for (const message of texts) await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
    const huge = 'w'.repeat(64 * 1024 - 2)
    await alice.call('POST', `/rooms/${room}/message`, { message: huge, messageType: 'text' })
    await alice.call('POST', `/rooms/${room}/message`, {
      message: { url: 'javascript:alert(1)' },
      messageType: 'image',
    })
    const { page, sees } = await open(bob, room, { viewport: { width: 360, height: 640 } })
    // The room opens at the first unread message, so later messages are not in the document.
    await sees(script)
    assert.equal(await sideways(page), 0)
    await page.getByRole('button', { name: 'Jump to the latest' }).click()
    await sees('Message not supported here')
    await page.getByRole('button', { name: 'Show all' }).waitFor()
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0)
    assert.equal(await sideways(page), 0)
    assert.doesNotMatch(await page.title(), /[12]$/)
  })

  test('on a phone the list and the room are separate views, and nothing scrolls sideways', async () => {
    const [first, second] = [
      await newRoom([alice, bob], { name: 'Phone room' }),
      await newRoom([alice, bob], { name: 'N'.repeat(120) }),
    ]
    await deployment.platform.admin('POST', '/messages', {
      room: first,
      sender: alice.id,
      message: 'W'.repeat(300),
      messageType: 'text',
    })
    const phone = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }
    const { page, send, sees } = await open(bob, '', phone)
    const row = page.getByRole('button', { name: /^Phone room/ })
    await row.waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).count(), 0)
    assert.equal(await sideways(page), 0)
    await row.tap()
    await send('From the phone')
    await sees('From the phone')
    assert.equal(await row.isVisible(), false)
    assert.equal(await sideways(page), 0)
    const message = page.getByRole('article').filter({ hasText: 'From the phone' })
    await message.getByRole('button', { name: 'Actions' }).tap()
    await page.getByRole('menuitem', { name: 'Reply in thread' }).tap()
    await page.getByRole('textbox', { name: 'Reply in thread' }).fill('Below it')
    await page.getByRole('region', { name: 'Thread' }).getByRole('button', { name: 'Send' }).tap()
    await sees('Below it')
    assert.equal(await sideways(page), 0)
    await page.goBack()
    await page.getByRole('button', { name: /1 reply$/ }).tap()
    await page.getByRole('button', { name: 'Back to the room' }).tap()
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.getByRole('button', { name: 'Back to the list' }).tap()
    await row.waitFor()
    await row.tap()
    await page.goBack()
    await row.waitFor()
    assert.ok(second)
  })

  test('everything works by keyboard, and in Chinese', async () => {
    const room = await newRoom()
    const { page } = await open(bob, room, { parameters: { lang: 'zh' } })
    const field = page.getByRole('textbox', { name: '消息' })
    await field.fill('你好')
    await page.getByRole('button', { name: '发送' }).waitFor()
    await page.keyboard.press('Enter')
    const text = page.getByRole('log').getByText('你好', { exact: true })
    await text.waitFor()
    await page.getByText('已发送').waitFor({ state: 'attached' })
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN')
    await page.getByRole('log').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })
})

/** How far the page scrolls sideways, in CSS pixels. */
const sideways = (page: ChatTab['page']): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
