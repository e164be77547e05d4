import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { openChat, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

/** Chromium's messages when a server is unreachable. */
const away = /WebSocket connection to|Failed to load resource|net::ERR/

describe.skipIf(isChromiumMissing())('the chat page in a browser, during failures', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(2, ['nats'])
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
  })
  afterAll(() => deployment.stop())

  const newUser = () => deployment.platform.newUser()
  const newRoom = (bob: PlatformUser) =>
    deployment.platform.newRoom([alice.id, bob.id], { name: 'Room', owner: alice.id })
  const say = (room: string, message: string) =>
    alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
  const open = (user: PlatformUser, room: string, options: TabOptions = {}) =>
    openChat(browser, `http://127.0.0.1:${deployment.front.port}`, user, {
      allow: away,
      ...options,
      parameters: { room, lang: 'en' },
    })
  /** Opens the page at another room. */
  async function openElsewhere(user: PlatformUser) {
    const elsewhere = await deployment.platform.newRoom([alice.id, user.id], { name: 'Elsewhere', owner: alice.id })
    await say(elsewhere, 'something else')
    const tab = await open(user, elsewhere)
    await tab.sees('something else')
    return tab
  }
  const history = async (user: PlatformUser, room: string) => {
    const { data } = await user.call('GET', `/rooms/${room}/messages/v3?limit=100`)
    return (data as { message: string }[]).map(({ message }) => message)
  }

  test('a killed node loses and repeats nothing', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    deployment.connectTo(0)
    const { sees, send, texts } = await open(bob, room)
    await say(room, 'before')
    await sees('before')
    const killed = deployment.killNode()
    await send('while it is away')
    await say(room, 'from the other')
    await killed
    await deployment.newNode()
    await sees('from the other')
    await eventually('it is sent', async () => (await history(bob, room)).includes('while it is away'))
    await say(room, 'after')
    await sees('after')
    assert.deepEqual((await texts()).toSorted(), ['after', 'before', 'from the other', 'while it is away'])
    assert.deepEqual((await history(bob, room)).toSorted(), ['after', 'before', 'from the other', 'while it is away'])
  })

  test('messages sent while NATS is away arrive once after it is back', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    const { sees, send, texts } = await open(bob, room)
    await say(room, 'before')
    await sees('before')
    await deployment.platform.servers.nats.kill()
    await say(room, 'meanwhile')
    await send('from the page')
    await deployment.platform.servers.nats.restart()
    await sees('meanwhile')
    await eventually('it is sent', async () => (await history(bob, room)).includes('from the page'))
    await say(room, 'after')
    await sees('after')
    await eventually('each is there once', async () => {
      return String((await texts()).toSorted()) === 'after,before,from the page,meanwhile'
    })
  })

  test('messages written offline survive a reload and are sent once', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    const { page, send, sees } = await open(bob, room)
    await say(room, 'before')
    await sees('before')
    await page.context().setOffline(true)
    await page.getByText('No connection. Messages will be sent once you’re back online.').waitFor()
    await send('written offline')
    await sees('written offline')
    await page.getByText('Waiting to send').waitFor({ state: 'attached' })
    // The page can be loaded, but no node is reachable.
    deployment.connectTo(deployment.nodes.length)
    await page.context().setOffline(false)
    await page.reload()
    await page.getByText('No connection. Messages will be sent once you’re back online.').waitFor()
    deployment.connectTo(0)
    await sees('written offline')
    await eventually('it is sent', async () => (await history(bob, room)).includes('written offline'))
    assert.deepEqual((await history(bob, room)).toSorted(), ['before', 'written offline'])
  })

  test('the open menu of a message in flight gets the actions of a sent message once it is sent', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    const { page, send, sees } = await open(bob, room)
    await say(room, 'before')
    await sees('before')
    await page.context().setOffline(true)
    await page.getByText('No connection. Messages will be sent once you’re back online.').waitFor()
    await send('on its way')
    const message = page.getByRole('article').filter({ hasText: 'on its way' })
    await message.getByRole('button', { name: 'Actions' }).click()
    const action = (name: string) => page.getByRole('menuitem', { name, exact: true })
    await action('Discard').waitFor()
    await page.context().setOffline(false)
    await action('Reply').waitFor()
    assert.equal(await action('Discard').count(), 0)
    await action('Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for me' }).click()
    await eventually('it is deleted', async () => {
      const { userDeletedIDs } = await bob.call('GET', `/rooms/${room}/messages/v3`)
      return (userDeletedIDs as string[]).length === 1
    })
  })

  test('a message discarded in one tab disappears from the other at once', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    const one = await open(bob, room)
    await one.page.getByRole('textbox', { name: 'Message' }).waitFor()
    await alice.call('POST', `/blockStatus/room/${room}/${bob.id}`)
    await one.send('not wanted')
    await one.page.getByText('You cannot write in this room.', { exact: true }).waitFor()
    const other = await one.page.context().newPage()
    const parameters = new URLSearchParams({ token: bob.token, room, lang: 'en' })
    await other.goto(new URL(`/chat?${parameters}`, one.page.url()).href)
    const shown = other.getByRole('log').getByText('not wanted', { exact: true })
    await shown.waitFor()
    await one.choose('not wanted', 'Discard')
    await shown.waitFor({ state: 'detached' })
    assert.deepEqual(await one.texts(), [])
  })

  test('a room and a thread whose first load failed appear once the failure is over', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    const { _id } = await say(room, 'before')
    await bob.call('POST', `/rooms/${room}/message`, {
      ...{ message: 'in the thread', messageType: 'text', replyTo: _id, thread: true },
    })
    const { page, sees } = await openElsewhere(bob)
    const refused: string[] = []
    await page.route(/\/(messages\/v3|thread)\?/, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (refused.filter((path) => path === pathname).length === 2) return route.continue()
      refused.push(pathname)
      await route.fulfill({ status: 503, json: {} })
    })
    await page.getByRole('button', { name: /^Room/ }).click()
    await sees('before')
    await page.getByRole('button', { name: /1 reply/ }).click()
    await page.getByRole('region', { name: 'Thread' }).getByText('in the thread', { exact: true }).waitFor()
    assert.equal(refused.length, 4)
  })

  test('a room opened offline appears once connected', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    await say(room, 'before')
    const { page, sees } = await openElsewhere(bob)
    deployment.connectTo(deployment.nodes.length)
    await page.context().setOffline(true)
    await page.getByText('No connection. Messages will be sent once you’re back online.').waitFor()
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/messages/v3'))
    await page.getByRole('button', { name: /^Room/ }).click()
    await failed
    deployment.connectTo(0)
    await page.context().setOffline(false)
    await sees('before')
  })

  test('an expired token shows a notice and stops retries', async () => {
    const bob = await newUser()
    const { page } = await open(bob, await newRoom(bob))
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await deployment.platform.admin('DELETE', `/admin/clients/${bob.id}/token`, {})
    await page.getByText('You are signed out').waitFor()
    const other = await open({ ...bob, token: 'no such token' }, 'x')
    await other.page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  })

  test('banned, frozen and removed each have their own notice', async () => {
    const bob = await newUser()
    const room = await newRoom(bob)
    const { page, send, sees } = await open(bob, room)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await alice.call('POST', `/blockStatus/room/${room}/${bob.id}`)
    await send('not wanted')
    await page.getByText('You cannot write in this room.', { exact: true }).waitFor()
    await alice.call('DELETE', `/blockStatus/room/${room}/${bob.id}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('You cannot write in this room.', { exact: true }).waitFor({ state: 'detached' })
    await sees('not wanted')
    await alice.call('PUT', `/rooms/${room}`, { status: 0 })
    await page.getByText('This room is closed for new messages.').waitFor()
    await deployment.platform.admin('POST', `/rooms/${room}/delete/members`, { members: [bob.id] })
    await page.getByText('You are no longer in this room').waitFor()
  })
})
