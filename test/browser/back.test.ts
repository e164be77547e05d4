import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { PlatformUser } from '../platform.ts'
import { type ChatTab, openChat } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

const phone = { width: 360, height: 640 }
/** Wide enough for the list beside the room, but a thread replaces the room. */
const tablet = { width: 900, height: 700 }

describe.skipIf(isChromiumMissing())('the chat page in a browser: going back', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
  })
  afterAll(() => deployment.stop())

  /** Creates a user with rooms "Here" and "There", and a message in the first. */
  async function newcomer() {
    const user = await deployment.platform.newUser()
    const newRoom = (name: string) => deployment.platform.newRoom([alice.id, user.id], { name, owner: alice.id })
    const [here] = [await newRoom('Here'), await newRoom('There')]
    await user.call('POST', `/rooms/${here}/message`, { message: 'Who drives?', messageType: 'text' })
    const open = (room: string, viewport: typeof phone, allow?: RegExp) =>
      openChat(browser, `http://127.0.0.1:${deployment.front.port}`, user, {
        viewport,
        ...(allow && { allow }),
        parameters: { room, lang: 'en' },
      })
    return { user, here, open }
  }
  const room = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const row = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) })
  const threadIn = (page: Page) => page.getByRole('region', { name: 'Thread', exact: true })
  async function openThread(tab: ChatTab): Promise<void> {
    await tab.choose('Who drives?', 'Reply in thread')
    await threadIn(tab.page).waitFor()
  }

  test.each([
    { name: 'a phone', viewport: phone },
    { name: 'a tablet', viewport: tablet },
  ])('out of a thread into the room that opened by itself, on $name', async ({ viewport }) => {
    const { here, open } = await newcomer()
    const tab = await open(here, viewport)
    const { page } = tab
    await openThread(tab)
    await page.getByRole('button', { name: 'Back to the room' }).click()
    await threadIn(page).waitFor({ state: 'detached' })
    await room(page, 'Here').waitFor()
    await openThread(tab)
    await page.goBack()
    await threadIn(page).waitFor({ state: 'detached' })
    await room(page, 'Here').waitFor()
  })

  test('to the list, which stays one step behind the next room', async () => {
    const { here, open } = await newcomer()
    const tab = await open(here, phone)
    const { page } = tab
    await openThread(tab)
    await page.goBack()
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await row(page, 'There').click()
    await room(page, 'There').waitFor()
    await page.goBack()
    await row(page, 'There').waitFor()
  })

  test('a thread is never shown in another room', async () => {
    const { here, open } = await newcomer()
    const tab = await open(here, tablet)
    const { page } = tab
    await openThread(tab)
    await row(page, 'There').click()
    await room(page, 'There').waitFor()
    await threadIn(page).waitFor({ state: 'detached' })
    await page.goBack()
    await room(page, 'Here').waitFor()
    await page.goForward()
    await room(page, 'There').waitFor()
    await threadIn(page).waitFor({ state: 'detached' })
  })

  test('straight to the list, from a thread in a room that removed the user', async () => {
    const { user, here, open } = await newcomer()
    // Requests for the room that removed the user fail.
    const tab = await open('', phone, /status of 403/)
    const { page } = tab
    await row(page, 'Here').click()
    await openThread(tab)
    await alice.call('POST', `/rooms/${here}/delete/members`, { members: [user.id] })
    await page.getByText('You are no longer in this room').waitFor()
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await row(page, 'There').waitFor()
  })

  test('a closed thread stays closed when a step forward opens its room', async () => {
    const { here, open, user } = await newcomer()
    await alice.call('POST', `/rooms/${here}/message`, {
      message: 'I do',
      messageType: 'text',
      thread: true,
      replyTo: await lastIn(user, here),
    })
    const { page } = await open('', phone)
    await page.getByRole('button', { name: /^Threads/ }).click()
    await page.getByRole('dialog').locator('.thread-row').click()
    await threadIn(page).waitFor()
    await page.goBack()
    await page.goBack()
    await row(page, 'There').waitFor()
    await page.goForward()
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await page.goForward()
    await threadIn(page).waitFor()
  })

  test('two quick steps forward lead into a thread', async () => {
    const { open } = await newcomer()
    const tab = await open('', phone)
    const { page } = tab
    await row(page, 'Here').click()
    await openThread(tab)
    await page.goBack()
    await page.goBack()
    await row(page, 'There').waitFor()
    // Take the second step as soon as the room is rendered, before it is painted.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('textarea')) return
        observer.disconnect()
        history.forward()
      }).observe(document.body, { childList: true, subtree: true })
      history.forward()
    })
    await threadIn(page).waitFor()
  })
})

async function lastIn(user: PlatformUser, room: string): Promise<string> {
  const { data } = await user.call('GET', `/rooms/${room}/messages/v3?limit=1`)
  return (data as { _id: string }[])[0]?._id ?? ''
}
