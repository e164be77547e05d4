import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, test } from 'vitest'
import { eventually, type PlatformUser } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import type { ChatTab } from './chat-tab.ts'
import { isChromiumMissing } from './chromium.ts'

/** Chromium's messages when a server is unreachable. */
const away = /WebSocket connection to|Failed to load resource|net::ERR/

describe.skipIf(isChromiumMissing())('the chat page in several tabs of a browser', () => {
  const { deployment, alice, newRoom, say, open } = aliceAndBob()

  async function connectionsOf({ id }: PlatformUser): Promise<number> {
    const { data } = await deployment.platform.admin('GET', `/admin/clients/${id}/connections`)
    return (data as unknown[]).length
  }
  const hasConnections = (user: PlatformUser, count: number) =>
    eventually(`${count} connections`, async () => (await connectionsOf(user)) === count)

  /** Opens another user's page in the same browser. */
  async function openBeside(context: BrowserContext, user: PlatformUser, room: string): Promise<Page> {
    const page = await context.newPage()
    const query = new URLSearchParams({ token: user.token, room, lang: 'en' })
    await page.goto(`http://127.0.0.1:${deployment.front.port}/chat?${query}`)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    return page
  }

  /** Opens tabs; the first is the leader. */
  async function openTabs(count: number, prepare?: (page: Page) => Promise<void>) {
    const carl = await deployment.platform.newUser(undefined, { nickname: 'Carl' })
    const room = await newRoom([alice, carl])
    const first: ChatTab = await open(carl, room, { allow: away })
    await first.page.getByRole('textbox', { name: 'Message' }).waitFor()
    const context = first.page.context()
    await prepare?.(first.page)
    const pages = [first.page]
    while (pages.length < count) pages.push(await openBeside(context, carl, room))
    return { carl, room, context, pages }
  }

  const sees = (page: Page, text: string) => page.getByRole('log').getByText(text, { exact: true }).waitFor()
  const textsIn = (page: Page) => page.getByRole('log').locator('.text').allTextContents()
  async function write(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }

  test('share one connection: each shows everything once, and sends and types over it', async () => {
    const { carl, room, pages } = await openTabs(3)
    await hasConnections(carl, 1)
    await say(alice, room, 'to all')
    for (const page of pages) await sees(page, 'to all')
    const alices = await open(alice, room)
    for (const [at, page] of pages.entries()) {
      await page.getByRole('textbox', { name: 'Message' }).pressSequentially(`by ${at}`)
      await alices.page.getByText('Carl is typing…').waitFor()
      await page.keyboard.press('Enter')
      for (const one of pages) await sees(one, `by ${at}`)
      await alices.page.getByText('Carl is typing…').waitFor({ state: 'detached' })
    }
    for (const page of pages) assert.deepEqual(await textsIn(page), ['to all', 'by 0', 'by 1', 'by 2'])
    assert.equal(await connectionsOf(carl), 1)
  })

  test('another tab takes over when the leader is closed or crashes: nothing is missed or repeated', async () => {
    const { carl, room, context, pages } = await openTabs(4)
    await say(alice, room, 'before')
    for (const page of pages) await sees(page, 'before')
    const [closed, crashed, ...others] = pages as [Page, Page, ...Page[]]

    deployment.connectTo(deployment.nodes.length)
    await closed.close()
    for (const page of others)
      await page.getByText('No connection. Messages will be sent once you’re back online.').waitFor()
    await say(alice, room, 'between')
    await write(others[1] as Page, 'written meanwhile')
    deployment.connectTo(0)
    for (const page of others) await sees(page, 'between')
    for (const page of others) await sees(page, 'written meanwhile')
    await hasConnections(carl, 1)

    const session = await context.newCDPSession(crashed)
    const gone = crashed.waitForEvent('crash')
    void session.send('Page.crash').catch(() => undefined)
    await gone
    await say(alice, room, 'after the crash')
    for (const page of others) await sees(page, 'after the crash')
    const all = ['before', 'between', 'written meanwhile', 'after the crash']
    for (const page of others) assert.deepEqual((await textsIn(page)).toSorted(), all.toSorted())
    await hasConnections(carl, 1)
  })

  test('another tab takes over from a frozen leader, which follows once it resumes', async () => {
    const { carl, room, pages } = await openTabs(3)
    const [frozen, ...others] = pages as [Page, ...Page[]]
    // Its busy thread does not respond but keeps the lock.
    let isBusy = true
    const busy = frozen.evaluate(() => {
      const endMS = Date.now() + 45_000
      while (Date.now() < endMS);
    })
    void busy.then(() => (isBusy = false))
    await say(alice, room, 'while it is frozen')
    for (const page of others) await sees(page, 'while it is frozen')
    assert.ok(isBusy, 'another has taken over')
    await busy
    await say(alice, room, 'thawed')
    for (const page of pages) await sees(page, 'thawed')
    for (const page of pages) assert.deepEqual(await textsIn(page), ['while it is frozen', 'thawed'])
    await hasConnections(carl, 1)
  })

  test('the end of a session ends all tabs', async () => {
    const { carl, pages } = await openTabs(3)
    await deployment.platform.admin('DELETE', `/admin/clients/${carl.id}/token`, {})
    for (const page of pages) await page.getByText('You are signed out').waitFor()
    await hasConnections(carl, 0)
  })

  test('another user, and tabs of a browser without Web Locks, have their own connections', async () => {
    const { carl, context, pages } = await openTabs(2)
    const dora = await deployment.platform.newUser(undefined, { nickname: 'Dora' })
    const [room, hers] = [await newRoom([alice, carl]), await newRoom([alice, dora])]
    const page = await openBeside(context, dora, hers)
    await say(alice, hers, 'for Dora')
    await sees(page, 'for Dora')
    await hasConnections(dora, 1)
    await hasConnections(carl, 1)
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
    const without = await openBeside(context, carl, room)
    await say(alice, room, 'for Carl')
    await sees(without, 'for Carl')
    await hasConnections(carl, 2)
    assert.equal(pages.length, 2)
  })

  test('one tab shows a notification as the settings allow, and none while any tab has the focus', async () => {
    const { carl, room, context, pages } = await openTabs(3, async (page) => {
      await page.context().addInitScript(() => {
        // Without a push service, Chromium would log an error.
        Reflect.deleteProperty(window, 'PushManager')
        const shown: string[] = []
        class Shown extends EventTarget {
          static permission = 'granted'
          static requestPermission = () => Promise.resolve('granted')
          constructor(title: string, { body = '' } = {}) {
            super()
            if (title !== '') shown.push(body)
          }
        }
        Object.assign(window, { Notification: Shown, shown })
        document.hasFocus = () => false
      })
      await page.reload()
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
    })
    assert.equal(context.pages().length, 3)
    const [, second, third] = pages as [Page, Page, Page]
    await third.getByRole('button', { name: 'Turn on notifications' }).click()
    for (const page of pages) await page.getByRole('button', { name: 'Turn off notifications' }).waitFor()
    const shown = async () =>
      (
        await Promise.all(pages.map((page) => page.evaluate(() => (window as unknown as { shown: string[] }).shown)))
      ).flat()
    await say(alice, room, 'one')
    for (const page of pages) await sees(page, 'one')
    await eventually('it is shown', async () => (await shown()).length > 0)
    const look = (isAt: boolean) =>
      second.evaluate((isAt) => {
        document.hasFocus = () => isAt
        window.dispatchEvent(new Event(isAt ? 'focus' : 'blur'))
      }, isAt)
    await look(true)
    await say(alice, room, 'two')
    for (const page of pages) await sees(page, 'two')
    await look(false)
    await say(alice, room, 'three')
    await eventually('the last is shown', async () => (await shown()).includes('three'))
    assert.deepEqual(await shown(), ['one', 'three'])

    await carl.call('PUT', '/me/notifications', { level: 'mentions' })
    for (const page of pages) await page.reload()
    await say(alice, room, 'four')
    for (const page of pages) await sees(page, 'four')
    await say(alice, room, 'five', { mentions: [carl.id] })
    await eventually('the mention is shown', async () => (await shown()).length > 0)
    assert.deepEqual(await shown(), ['five'], 'as the settings say')

    const root = await say(carl, room, 'by Carl')
    await say(alice, room, 'six', { thread: true, replyTo: root, mentions: [carl.id] })
    await eventually('the mention in a thread is shown', async () => (await shown()).includes('six'))
    await carl.call('PUT', `/me/notifications/threads/${root}`, { level: 'all' })
    await say(alice, room, 'seven', { thread: true, replyTo: root })
    await eventually('that of the thread is shown', async () => (await shown()).includes('seven'))
    assert.deepEqual(await shown(), ['five', 'six', 'seven'], "as the thread's settings say")
  })
})
