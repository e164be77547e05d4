import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { PlatformUser } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import { openChat, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: axe finds nothing', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  let room: string
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    const { platform } = deployment
    alice = await platform.newUser('alice', { nickname: 'Alice' })
    const bob = await platform.newUser('bob', { nickname: 'Bob' })
    room = await platform.newRoom([alice.id, bob.id], {
      name: 'Friends',
      owner: alice.id,
      opening: 1,
      systemMessage: true,
    })
    const say = (user: PlatformUser, message: unknown, more = {}) =>
      user.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more })
    const first = await say(alice, 'Hello @Bob: https://example.com', { mentions: [bob.id] })
    await bob.call('POST', `/messages/${String(first['_id'])}/reaction`, { reaction: '👍' })
    await bob.call('POST', `/messages/${String(first['_id'])}/pin`)
    const recalled = await say(bob, 'to be recalled')
    await bob.call('POST', `/rooms/${room}/message`, { _id: recalled['_id'], messageType: 'recall' })
    await say(bob, 'In its thread', { replyTo: first['_id'], thread: true })
    await say(bob, { url: 'https://example.com/a.pdf', name: 'A file' }, { messageType: 'file' })
    await say(bob, 'Hello Alice', { replyTo: first['_id'] })
    await platform.newRoom([alice.id, bob.id], { name: 'Other' })
    const long = await platform.newRoom([alice.id, bob.id], { name: 'Long' })
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`)
    await platform.sendAll(long, bob.id, lines)
    const club = await platform.newRoom([bob.id], { name: 'Club', owner: bob.id })
    await bob.call('POST', `/rooms/${club}/members`, { invitees: [alice.id], invitationRequired: true })
  })
  afterAll(() => deployment.stop())

  const open = async (options: TabOptions = {}) => {
    const baseUrl = `http://127.0.0.1:${deployment.front.port}`
    const tab = await openChat(browser, baseUrl, alice, {
      ...options,
      parameters: { room, lang: 'en', ...options.parameters },
    })
    return tab.page
  }

  test.for(['light', 'dark'] as const)(
    'in a room, its menu, its details and a confirmation, in %s',
    async (colorScheme) => {
      const page = await open({ colorScheme })
      const nothingIsFound = (view: string) => assertAccessible(page, view, colorScheme === 'dark')
      await page.getByText('Hello Alice', { exact: true }).waitFor()
      await page.getByRole('region', { name: 'Invitations' }).getByText('Club').waitFor()
      await nothingIsFound('room')
      await page.getByRole('log').getByRole('article').last().hover()
      await page.getByRole('button', { name: 'Actions' }).last().click()
      await page.getByRole('menu').waitFor()
      await nothingIsFound('menu')
      await page.getByRole('menuitem', { name: 'Reply', exact: true }).click()
      await page.getByText('Replying to Bob').waitFor()
      const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByText('1 byte', { exact: true }).waitFor()
      await page.getByRole('textbox', { name: 'Message' }).fill('@')
      await page.getByRole('option', { name: 'Bob' }).waitFor()
      await nothingIsFound('mention')
      await page.route(/\/content\?/, () => undefined)
      await page.locator('input[type=file]').setInputFiles({ ...file, name: 'b.txt' })
      await page.getByRole('progressbar').waitFor()
      await page.getByRole('button', { name: /^Threads/ }).click()
      await page.getByRole('dialog').getByText('1 reply').waitFor()
      await nothingIsFound('threads and an upload')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: /1 reply/ }).click()
      await page.getByText('In its thread', { exact: true }).waitFor()
      await nothingIsFound('thread')
      await page.keyboard.press('Control+/')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await nothingIsFound('shortcuts')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Emoji', exact: true }).first().click()
      await page.getByRole('combobox', { name: 'Skin tone' }).waitFor()
      await nothingIsFound('emoji')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Search in this chat' }).click()
      await page.getByRole('dialog').getByRole('searchbox').fill('zebra')
      await page.getByRole('dialog').getByText('Nothing found').waitFor()
      await nothingIsFound('a search that finds nothing')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Details' }).click()
      await page.getByRole('dialog').getByText('Bob').first().waitFor()
      await nothingIsFound('details')
      await page.getByRole('button', { name: 'Leave the room' }).click()
      await page.getByText('Leave this room?').waitFor()
      await nothingIsFound('question')
    },
  )

  test('in the list on a phone, and when signed out', async () => {
    const page = await open({ viewport: { width: 360, height: 640 }, parameters: { room: 'none' } })
    await page.getByText('This chat isn’t available to you').waitFor()
    await assertAccessible(page, 'a room that is not theirs')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await page.getByRole('button', { name: /^Friends/ }).waitFor()
    await assertAccessible(page, 'list')
    await page.getByRole('button', { name: /^Long/ }).click()
    await page.getByRole('button', { name: /^Jump to the latest \d+ unread$/ }).waitFor()
    await assertAccessible(page, 'unread in a room')
    const url = `http://127.0.0.1:${deployment.front.port}`
    const other = await openChat(browser, url, { id: 'nobody', token: 'none' }, { parameters: { lang: 'en' } })
    await other.page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await assertAccessible(other.page, 'signed out')
  })
})
