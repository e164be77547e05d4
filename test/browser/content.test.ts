import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { listenOnLoopback } from '@parley/stack/loopback'
import type { Page } from 'playwright-core'
import { describe, onTestFinished, test } from 'vitest'
import { eventually, type PlatformUser } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import { assertAccessible } from './axe.ts'
import { isChromiumMissing } from './chromium.ts'
import { hostileNames } from './hostile-names.ts'
import { onePixel } from './one-pixel.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: content', () => {
  const { deployment, alice, bob, newRoom, say, open } = aliceAndBob()

  /** Creates a user, room, invitation, reply, reaction and file with each name. */
  async function nameEverything(): Promise<string> {
    const { platform } = deployment
    const names = Object.entries(hostileNames)
    const users: PlatformUser[] = []
    for (const [kind, nickname] of names) users.push(await platform.newUser(`u ${kind}`, { nickname }))
    const members = [alice, ...users].map(({ id }) => id)
    const room = await platform.newRoom(members, { name: 'Everybody', owner: alice.id })
    for (const [n, user] of users.entries()) {
      const name = names[n]?.[1] ?? ''
      const own = await platform.newRoom([alice.id, user.id], { name, owner: user.id })
      await say(user, own, name)
      const closed = await newRoom([user], { name })
      await user.call('POST', `/rooms/${closed}/members`, { invitees: [alice.id], invitationRequired: true })
      const first = await say(user, room, `I am ${name}`)
      await say(
        user,
        room,
        { url: 'https://files.example/x', name: `${name}.exe` },
        { messageType: 'file', replyTo: first },
      )
      await user.call('POST', `/messages/${first}/reaction`, { reaction: '👍' })
      await platform.admin('POST', `/rooms/${room}/delete/members`, { members: [user.id], systemMessage: true })
    }
    return room
  }

  test('a name of a person, room or file stays within its box, reorders no text, and hides no file extension', async () => {
    const room = await nameEverything()
    const { page } = await open(alice, room, { viewport: { width: 1100, height: 4_000 } })
    await page
      .getByRole('log')
      .locator('.system')
      .nth(Object.keys(hostileNames).length - 1)
      .waitFor()
    assert.deepEqual(await layoutFaults(page), [], 'a desktop')
    await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
    assert.deepEqual(await layoutFaults(page), [], 'the list on a desktop')
    await page.setViewportSize({ width: 360, height: 9_000 })
    await page.getByRole('button', { name: 'Back to the list' }).waitFor()
    assert.deepEqual(await layoutFaults(page), [], 'a phone')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await page.getByRole('button', { name: 'Back to the list' }).waitFor({ state: 'hidden' })
    assert.deepEqual(await layoutFaults(page), [], 'the list on a phone')
  })
  test('Markdown is a safe subset, and shown literally if the app disables it', async () => {
    const room = await newRoom([alice], { name: 'Markdown' })
    const text =
      '**bold** *italic* ~~gone~~ `code`\n\n- one\n- two\n\n> quoted\n\n```\nblock\n```\n\n<b>not</b> https://example.com/a_b_c'
    await say(alice, room, text)
    await say(alice, room, '*literal*')
    const { page } = await open(alice, room)
    const rich = page.locator('.rich')
    await rich.waitFor()
    const html = await rich.evaluate((element) => element.innerHTML.replaceAll(/ (?:dir|target|rel)="[^"]*"/g, ''))
    assert.equal(
      html,
      '<p><strong>bold</strong> <em>italic</em> <s>gone</s> <code>code</code></p><ul><li>one</li><li>two</li></ul>' +
        '<blockquote><p>quoted</p></blockquote><pre>block</pre>' +
        '<p>&lt;b&gt;not&lt;/b&gt; <a href="https://example.com/a_b_c">https://example.com/a_b_c</a></p>',
    )
    await page.locator('.text em').getByText('literal', { exact: true }).waitFor()
    // The preview is drawn by CSS, so it is not in the page's text.
    const drawn = (place: string, shown: string) => page.locator(`${place} [data-text="${shown}"]`).waitFor()
    await drawn('.room-row', 'You: literal')
    const quoted = await say(alice, room, '**quoted** `a*b`')
    await say(alice, room, 'A reply', { replyTo: quoted })
    await drawn('.quote', 'quoted a*b')
    await alice.call('POST', `/messages/${quoted}/pin`, {})
    await drawn('.pinned-bar', 'quoted a*b')
    await deployment.platform.admin('POST', '/config', { chatPage: { literalText: true } })
    await page.reload()
    await page.getByRole('log').getByText('*literal*', { exact: true }).waitFor()
    await say(alice, room, '**always**', { messageType: 'markdown' })
    await page.locator('.text strong').getByText('always', { exact: true }).waitFor()
    assert.equal(await page.locator('.text em').count(), 0)
    await deployment.platform.admin('POST', '/config', { chatPage: {} })
  })
  test('a link has a card if the app enables it, with images only from allowed origins', async () => {
    const asked: string[] = []
    const site = createServer((request, response) => {
      asked.push(String(request.url))
      if (request.url === '/dot.png') response.setHeader('content-type', 'image/png').end(onePixel)
      else {
        response.setHeader('content-type', 'text/html')
        response.end(
          '<title>\u202EShoes <b>&lt;i></title><meta name="description" content="For every day">' +
            '<meta property="og:image" content="/dot.png">',
        )
      }
    })
    const origin = `http://127.0.0.1:${await listenOnLoopback(site)}`
    onTestFinished(() => void site.close())
    const { platform } = deployment
    await platform.start('stats', { PARLEY_STATS_LINK_CARDS_ALLOW_PRIVATE_TARGETS: 'loopback' })
    onTestFinished(async () => void (await platform.admin('DELETE', '/config/chatPage')))
    await platform.admin('POST', '/config', { chatPage: { linkCards: true } })
    const room = await newRoom([alice, bob], { name: 'Links' })
    const id = await say(bob, room, `See ${origin}/shoes.`)
    const stored = async () => (await bob.call('GET', `/messages/${id}/linkCard`))['card']
    await eventually('the card is there', async () => (await stored()) !== undefined)
    const { page } = await open(alice, room)
    const card = page.locator('.link-card')
    await card.waitFor()
    assert.equal(await card.locator('b').textContent(), 'Shoes <b><i>')
    assert.equal(await card.locator('span').textContent(), 'For every day')
    assert.equal(await card.getAttribute('href'), `${origin}/shoes`)
    assert.deepEqual([await card.locator('img').count(), asked], [0, ['/shoes']])
    await platform.admin('POST', '/config', { chatPage: { linkCards: true, imageOrigins: [origin] } })
    const allowed = await open(alice, room, { elsewhere: [new URL(origin).host] })
    await allowed.page.locator('.link-card img').waitFor()
    await eventually('the picture is asked for', () => asked.includes('/dot.png'))
    await platform.admin('POST', '/config', { chatPage: {} })
    await page.reload()
    await page.getByRole('log').getByText('See ').waitFor()
    assert.equal(await card.count(), 0)
    const carol = await platform.newUser('carol')
    await assert.rejects(carol.call('GET', `/messages/${id}/linkCard`), /NOT_ROOM_MEMBER/)
  })
  test('any emoji can be a reaction, and emoji that look the same count as one', async () => {
    const room = await newRoom([alice, bob], { name: 'Reactions' })
    const id = await say(bob, room, 'To the moon')
    await bob.call('POST', `/messages/${id}/reaction`, { reaction: '\u2764' })
    const { page, sees, choose } = await open(alice, room)
    await sees('To the moon')
    await choose('To the moon', 'React with ❤️')
    const heart = page.getByRole('log').getByRole('button', { name: /^\u2764/ })
    await heart.filter({ hasText: '2' }).waitFor()
    await heart.click()
    await heart.filter({ hasText: '1' }).waitFor()
    await choose('To the moon', 'More emoji')
    const picker = page.getByRole('dialog', { name: 'Emoji' })
    await picker.getByRole('searchbox', { name: 'Search emoji' }).fill('space ROCKET')
    await picker.getByRole('button', { name: 'rocket' }).click()
    await page.getByRole('log').getByRole('button', { name: /^🚀 1/ }).waitFor()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('to go')
    await field.press('Home')
    await page.getByRole('button', { name: 'Emoji', exact: true }).click()
    await picker.getByRole('searchbox', { name: 'Search emoji' }).fill('tada')
    await picker.getByRole('button', { name: 'party popper' }).click()
    await picker.waitFor({ state: 'detached' })
    assert.equal(await field.inputValue(), '🎉to go')
    await page.getByRole('button', { name: 'Emoji', exact: true }).click()
    await picker.getByRole('combobox', { name: 'Skin tone' }).selectOption({ index: 3 })
    await picker.getByRole('searchbox', { name: 'Search emoji' }).fill('thumbs up')
    await picker.getByRole('button', { name: 'thumbs up', exact: true }).click()
    await picker.waitFor({ state: 'detached' })
    assert.equal(await field.inputValue(), '🎉👍🏽to go')
    assert.equal(await page.getByRole('log').locator('.reaction').count(), 2)
  })
  test('an unknown message type shows its fallback text or that it is not supported', async () => {
    const room = await newRoom([alice], { name: 'Types' })
    await say(alice, room, { question: 'Tea?', fallback: 'A poll: Tea?' }, { messageType: 'poll' })
    await say(alice, room, { question: 'Coffee?' }, { messageType: 'poll' })
    const { sees, texts } = await open(alice, room)
    await sees('A poll: Tea?')
    await sees('Message not supported here')
    assert.equal((await texts()).join(' ').includes('{'), false)
  })

  test('search results of a room and of all rooms lead to the message, also in threads', async () => {
    const room = await newRoom([alice, bob], { name: 'Archive' })
    const other = await newRoom([alice, bob], { name: 'Other' })
    const early = await say(bob, room, 'the lighthouse is open')
    await say(bob, room, 'a lighthouse in the thread', { replyTo: early, thread: true })
    const later = Array.from({ length: 80 }, (_, i) => `later ${i + 1}`)
    await deployment.platform.sendAll(room, bob.id, later)
    await alice.call('PUT', `/rooms/${room}/lastRead`, { message: await say(bob, room, 'the last one') })
    const { page, sees } = await open(alice, room)
    await sees('the last one')
    await page.getByRole('button', { name: 'Search in this chat' }).click()
    await page.getByRole('searchbox', { name: 'Search in this chat' }).fill('LIGHTHOUSE')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Bob.*the lighthouse is open/ })
      .click()
    await page.locator('.is-found').getByText('the lighthouse is open', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Other/ }).click()
    await page.getByRole('region', { name: 'Other' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search rooms' }).fill('lighthouse')
    await page.getByRole('button', { name: 'Search messages' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /in the thread.*In Archive$/ })
      .click()
    const thread = page.getByRole('region', { name: 'Thread' })
    await thread.locator('.is-found').getByText('a lighthouse in the thread', { exact: true }).waitFor()
    assert.ok(other)
  })

  test('a slash suggests robot commands', async () => {
    const commands = [
      { name: 'help', description: 'What I can do' },
      { name: 'weather', description: 'Of a city' },
    ]
    const robot = await deployment.platform.newUser('robot', { nickname: 'Robot', isRobot: true, commands })
    const room = await newRoom([alice, robot], { name: 'Robots' })
    const { page, sees } = await open(alice, room)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('/')
    await page.getByRole('option', { name: /^\/help/ }).waitFor()
    await field.fill('/we')
    await page.getByRole('option', { name: '/weather Of a city · Robot' }).waitFor()
    await field.press('Enter')
    assert.equal(await field.inputValue(), '/weather ')
    await field.fill('/weather Oslo')
    await field.press('Enter')
    await sees('/weather Oslo')
  })

  test('slow mode is shown and blocks sending until it ends', async () => {
    const room = await newRoom([alice, bob], { name: 'Slow', slowModeS: 3 })
    const { page, send, sees } = await open(bob, room)
    await send('First')
    await sees('First')
    const waiting = page.getByText(/^Slow mode: you can send again in \d seconds?\.$/)
    await waiting.waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('Second')
    assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true)
    await waiting.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send' }).click()
    await sees('Second')
  })
  test('a room ban and a frozen room replace the composer', async () => {
    const { platform } = deployment
    const room = await newRoom([alice, bob], { name: 'Closed' })
    const { page } = await open(bob, room)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.waitFor()
    await alice.call('POST', `/blockStatus/room/${room}/${bob.id}`, {})
    const isAtFocus = () => page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await isAtFocus()
    await page.getByText('You cannot write in this room.').waitFor()
    assert.equal(await field.count(), 0)
    await alice.call('DELETE', `/blockStatus/room/${room}/${bob.id}`)
    await isAtFocus()
    await field.waitFor()
    await platform.admin('PUT', `/rooms/${room}`, { status: 0 })
    await page.getByText('This room is closed for new messages.').waitFor()
    assert.equal(await field.count(), 0)
  })
  test('pictures keep their order and are never enlarged; arrow keys move through the gallery', async () => {
    const room = await newRoom([alice, bob], { name: 'Pictures' })
    const { page, sees, send } = await open(alice, room)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    // The first picture takes longest to measure.
    await page.evaluate(() => {
      const measure = createImageBitmap
      let count = 0
      window.createImageBitmap = async (...about: unknown[]) => {
        const isFirst = count++ === 0
        if (isFirst) await new Promise((resolve) => addEventListener('measure', resolve, { once: true }))
        return (measure as (...about: unknown[]) => Promise<ImageBitmap>)(...about)
      }
    })
    const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: onePixel })
    await page.locator('input[type=file]').setInputFiles(['one.png', 'two.png', 'three.png'].map(picture))
    await page.evaluate(() => dispatchEvent(new Event('measure')))
    await page.locator('.file-preview').nth(2).waitFor()
    await send('Look')
    await sees('Look')
    const shown = page.getByRole('log').locator('.attached-picture')
    await shown.nth(2).locator('img').waitFor()
    assert.deepEqual(await shown.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))), [
      'one.png',
      'two.png',
      'three.png',
    ])
    assert.equal(await shown.first().evaluate((one) => one.getBoundingClientRect().width), 1)
    await page.getByRole('button', { name: 'one.png' }).click({ force: true })
    const gallery = page.getByRole('dialog')
    await gallery.getByText('1 / 3').waitFor()
    await assertAccessible(page, 'gallery')
    await page.keyboard.press('ArrowRight')
    await gallery.getByText('2 / 3').waitFor()
    await gallery.getByRole('button', { name: 'Next picture' }).click()
    await gallery.getByText('3 / 3').waitFor()
    await gallery.locator('.gallery-strip').evaluate((strip) => strip.scrollTo({ left: 0 }))
    await gallery.getByText('1 / 3').waitFor()
    await page.keyboard.press('Escape')
    await gallery.waitFor({ state: 'detached' })
  })

  test('audio plays inline, HEIC is shown as a file, and a cell pasted from Excel becomes text', async () => {
    const room = await newRoom([alice, bob], { name: 'Media' })
    const { page } = await open(alice, room)
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'A1')
      clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }))
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    const wav = Buffer.from(
      `RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0`,
      'latin1',
    )
    await page.locator('input[type=file]').setInputFiles([
      { name: 'a.wav', mimeType: 'audio/wav', buffer: wav },
      { name: 'b.heic', mimeType: 'image/heic', buffer: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1') },
    ])
    await page.getByRole('button', { name: 'Remove b.heic' }).waitFor()
    assert.equal(await page.locator('.chosen-file').count(), 2)
    await page.getByRole('button', { name: 'Send' }).click()
    const log = page.getByRole('log')
    await log.getByRole('button', { name: /^b\.heic, / }).waitFor()
    await log.getByRole('button', { name: 'Play a.wav' }).click()
    await log.locator('audio[controls]').waitFor()
  })
})

/** Elements that overflow their box, let text of another direction in, or hide the end of a file name. */
function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = []
    const places = '.room-name, .room-title, .sender, .sender bdi, .quote, .system, .file, .file-name, .reaction, .text'
    const lineHeights: Record<string, number> = { '.room-name': 30, '.sender': 24, '.file-name': 30, '.quote': 60 }
    const isSeen = (element: Element) => element.getClientRects().length > 0
    for (const element of [...document.querySelectorAll(`${places}, .preview, .invitation p, .avatar`)].filter(
      isSeen,
    )) {
      const { left, right, height } = element.getBoundingClientRect()
      const name = `${element.className} ${element.textContent.slice(0, 20)}`
      const bubble = element.closest('.bubble')
      const box = bubble?.getBoundingClientRect()
      const isClipped = bubble && getComputedStyle(bubble).overflow === 'clip' && element.matches('.text')
      if (!isClipped && (left < 0 || right > window.innerWidth)) faults.push(`${name} leaves the page`)
      if (box && !isClipped && (left < box.left || right > box.right)) faults.push(`${name} leaves its bubble`)
      for (const [selector, max] of Object.entries(lineHeights)) {
        if (element.matches(selector) && height > max) faults.push(`${name} is ${height} pixels high`)
      }
    }
    for (const element of [...document.querySelectorAll('.file')].filter(isSeen)) {
      const end = element.querySelector('.file-extension')
      const box = element.getBoundingClientRect()
      const at = end?.getBoundingClientRect()
      const stem = element.querySelector('.preview')?.getBoundingClientRect()
      const isShown = at && stem && at.width > 10 && at.right <= box.right + 1 && at.left >= stem.right - 1
      if (end?.getAttribute('data-text') !== '.exe' || !isShown)
        faults.push(`${element.textContent} hides its extension`)
    }
    // From left to right, the last letters are to the right of or below the letters before the name.
    for (const line of [...document.querySelectorAll('.system, .invitation p')].filter(isSeen)) {
      const text = line.firstChild
      const length = text?.textContent?.length ?? 0
      const range = document.createRange()
      if (!text || length === 0) continue
      range.setStart(text, length - 2)
      range.setEnd(text, length)
      const last = range.getBoundingClientRect()
      const before = line.getBoundingClientRect()
      if (getComputedStyle(line).direction !== 'ltr') faults.push(`${line.textContent} is turned around`)
      if (last.right > before.right + 1) faults.push(`${line.textContent} leaves its line`)
    }
    const names = document.body.cloneNode(true) as HTMLElement
    for (const text of names.querySelectorAll('.text')) text.remove()
    const control = /.{0,20}[\u202A-\u202E\u2066\u2067].{0,20}/u.exec(names.innerHTML)
    if (control) faults.push(`${control[0]} reorders its surroundings`)
    if (document.documentElement.scrollWidth > window.innerWidth) faults.push('the page scrolls sideways')
    return faults
  })
}
