import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { eventually, type Fields, type PlatformUser } from '../platform.ts'
import { type ChatTab, openChat, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: people', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  let bob: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    const { platform } = deployment
    alice = await platform.newUser('alice', { nickname: 'Alice' })
    bob = await platform.newUser('bob', { nickname: 'Bob' })
  })
  afterAll(async () => {
    await browser.close()
    await deployment.stop()
  })

  const newRoom = (members: PlatformUser[], fields: Fields = {}) =>
    deployment.platform.newRoom(
      members.map(({ id }) => id),
      { name: 'Friends', owner: members[0]?.id ?? '', ...fields },
    )
  const open = (user: PlatformUser, room: string, options: TabOptions = {}) =>
    openChat(browser, `http://127.0.0.1:${deployment.front.port}`, user, {
      ...options,
      parameters: { room, lang: 'en', ...options.parameters },
    })
  const say = (user: PlatformUser, room: string, message: unknown, more: Fields = {}) =>
    user.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more })
  const unreadOf = async (user: PlatformUser, room: string) => (await user.call('GET', `/rooms/${room}`))['unread']

  /** Another window is in front; the page is still visible. */
  const look = ({ page }: ChatTab, isAt: boolean) =>
    page.evaluate((isAt) => {
      document.hasFocus = () => isAt
      window.dispatchEvent(new Event(isAt ? 'focus' : 'blur'))
    }, isAt)

  describe('seen means seen', () => {
    test('without the focus nothing is read, and a notification comes; with it, it is read', async () => {
      const room = await newRoom([alice, bob])
      const tab = await open(alice, room)
      await tab.page.addInitScript(() => {
        const shown: string[] = []
        class Shown extends EventTarget {
          static permission = 'granted'
          constructor(title: string) {
            super()
            if (title !== '') shown.push(title)
          }
        }
        Object.assign(window, { Notification: Shown, shown })
        localStorage.setItem('parley.chat.notify', 'on')
      })
      await tab.page.reload()
      await tab.page.getByRole('textbox', { name: 'Message' }).waitFor()
      await say(bob, room, 'while you look')
      await tab.sees('while you look')
      await eventually('it is read', async () => (await unreadOf(alice, room)) === 0)
      await look(tab, false)
      await say(bob, room, 'while you work')
      await tab.sees('while you work')
      await tab.page.waitForFunction(() => 'shown' in window && String(window.shown) === 'Bob')
      assert.equal(await unreadOf(alice, room), 1)
      await look(tab, true)
      await eventually('it is read', async () => (await unreadOf(alice, room)) === 0)
    })

    test('the sum in the title leaves out hidden rooms', async () => {
      const carl = await deployment.platform.newUser('carl')
      const [desk, shown] = [await newRoom([carl]), await newRoom([bob, carl])]
      const hidden = await newRoom([bob, carl], { name: 'Hidden' })
      await carl.call('POST', `/roomPrefs/${hidden}`, { hidden: true })
      const { page } = await open(carl, desk)
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      await say(bob, hidden, 'not for the title')
      await say(bob, shown, 'for the title')
      await page.waitForFunction(() => document.title === '(1) Chats')
    })
  })
})
