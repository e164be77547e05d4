import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { type ChatTab, openChat } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

const count = 2_500
const atATime = 500
/** More elements than the list keeps in the document, but far fewer than 10,000 messages. */
const maxRows = 300

describe.skipIf(isChromiumMissing())('the chat page in a browser, in a room of 2,500 messages', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  let bob: PlatformUser
  let room: string
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
    bob = await deployment.platform.newUser('bob', { nickname: 'Bob' })
    room = await deployment.platform.newRoom([alice.id, bob.id], { name: 'Long room' })
    for (let n = 1; n <= count; n += atATime) {
      const texts = Array.from({ length: atATime }, (_, i) => `message ${n + i}${'\nline'.repeat((n + i) % 4)}`)
      await deployment.platform.sendAll(room, alice.id, texts)
    }
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: (await latest())['_id'] })
  })
  afterAll(() => deployment.stop())

  const say = (message: string, more = {}) =>
    deployment.platform.admin('POST', '/messages', { room, sender: alice.id, message, messageType: 'text', ...more })
  const latest = async () => {
    const { data } = await bob.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    return (data as { _id: string }[])[0] as { _id: string }
  }
  const open = () =>
    openChat(browser, `http://127.0.0.1:${deployment.front.port}`, bob, { parameters: { room, lang: 'en' } })

  test('older messages load above without moving the visible ones, and the document stays small', async () => {
    const { page, sees, texts } = await open()
    await say('the last one')
    await sees('the last one')
    const seen = new Set<string>()
    let least = Number.POSITIVE_INFINITY
    // Scroll up through a thousand messages, most of a screen at a time.
    while (seen.size < 1_000) {
      const { jump, rows } = await scrollUp(page)
      assert.ok(Math.abs(jump) <= 2, `what was read moved by ${jump} px after ${seen.size} messages`)
      assert.ok(rows < maxRows, `${rows} messages are in the document`)
      for (const text of await texts()) seen.add(text)
      least = Math.min(least, rows)
    }
    assert.ok(least > 0)
    await page.getByRole('button', { name: 'Jump to the latest' }).click()
    await sees('the last one')
    await page.getByRole('button', { name: 'Jump to the latest' }).waitFor({ state: 'detached' })
  })

  test('a quote leads to the old message, and a new message still goes to the end', async () => {
    const { data } = await bob.call('GET', `/rooms/${room}/messages/v3?afterTime=0&timeRangeField=createdAt&limit=200`)
    const parent = (data as { _id: string; message: string }[])[100]
    assert.ok(parent)
    await say('in reply', { replyTo: parent._id })
    const { page, sees, send, message } = await open()
    await page
      .getByRole('log')
      .getByRole('button', { name: /^In reply to Alice: / })
      .click()
    const found = page.locator('.is-found .text')
    await found.waitFor()
    assert.equal(await found.textContent(), parent.message)
    assert.equal(await message('in reply').count(), 0)
    await send('from far back')
    await sees('from far back')
    await sees('in reply')
  })

  test('opens at the first unread message, and new messages do not move the view', async () => {
    const texts = Array.from({ length: 60 }, (_, i) => `unread ${i + 1}`)
    await deployment.platform.sendAll(room, alice.id, texts)
    const { page, message } = await open()
    await page.getByText('New messages', { exact: true }).waitFor()
    const log = page.getByRole('log')
    await eventually('the first unread one is in view', async () => {
      const [view, first] = [await log.boundingBox(), await message('unread 1').boundingBox()]
      return view && first && first.y >= view.y && first.y < view.y + view.height
    })
    const before = await message('unread 1').boundingBox()
    await say('another')
    await page.getByRole('button', { name: /another/ }).waitFor()
    assert.deepEqual(await message('unread 1').boundingBox(), before)
    assert.equal(await message('another').count(), 0)
  })
})

/**
 * Scrolls up by most of a screen and waits for the load. Returns how far the message in the middle moved beyond the scrolled
 * distance, and the number of messages in the document.
 */
async function scrollUp(page: ChatTab['page']): Promise<{ jump: number; rows: number }> {
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const log = document.querySelector<HTMLElement>('[role="log"]') as HTMLElement
    log.scrollBy(0, -Math.min(log.scrollTop, log.clientHeight * 0.8))
    for (let i = 0; i < 4; i++) await frame()
    const articles = () => [...log.querySelectorAll<HTMLElement>('article')]
    const middle = log.getBoundingClientRect().top + log.clientHeight / 2
    const anchor = articles().find((article) => article.getBoundingClientRect().bottom > middle) as HTMLElement
    const text = anchor.querySelector('.text')?.textContent
    const top = anchor.getBoundingClientRect().top
    const height = log.scrollHeight
    for (let i = 0; i < 60 && log.scrollTop < 1_200 && log.scrollHeight === height; i++) await frame()
    for (let i = 0; i < 4; i++) await frame()
    const now = articles().find((article) => article.querySelector('.text')?.textContent === text)
    return { jump: now ? now.getBoundingClientRect().top - top : Number.NaN, rows: articles().length }
  })
}
