import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { type ChatTab, openChat, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser, as an app embeds it', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
  })
  afterAll(async () => {
    await browser.close()
    await deployment.stop()
  })

  const newUser = () => deployment.platform.newUser()
  const newRoom = (user: PlatformUser, name = 'Room') =>
    deployment.platform.newRoom([alice.id, user.id], { name, owner: alice.id })
  const say = (room: string, message: string) =>
    alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
  const open = (user: PlatformUser, parameters: Record<string, string>, options: TabOptions = {}) =>
    openChat(browser, `http://127.0.0.1:${deployment.front.port}`, user, {
      ...options,
      parameters: { lang: 'en', ...parameters },
    })
  const fieldOf = ({ page }: ChatTab) => page.getByRole('textbox', { name: 'Message' })

  test('a session that ends while one writes leaves the conversation and the draft', async () => {
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

  test('drafts with their reply, mentions and files are there after a change of rooms and a reload', async () => {
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
    const preview = () => row.locator('.preview').getAttribute('data-text')
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

  test('a room that is not the user’s says so and opens nothing; it opens once it is', async () => {
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

  test('rooms=hide shows a single conversation, also one that the user has hidden', async () => {
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
})
