import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { listenOnLoopback } from '@parley/stack/loopback'
import { describe, onTestFinished, test } from 'vitest'
import { eventually } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import { isChromiumMissing } from './chromium.ts'
import { onePixel } from './one-pixel.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: its lists', () => {
  const { deployment, alice, bob, newRoom, say, open } = aliceAndBob()

  test('open invitations, old and new, can be accepted and declined', async () => {
    const carl = await deployment.platform.newUser('carl', { nickname: 'Carl' })
    const invite = async (name: string) => {
      const room = await newRoom([alice], { name })
      await alice.call('POST', `/rooms/${room}/members`, { invitees: [carl.id], invitationRequired: true })
      return room
    }
    await invite('Chess club')
    const declined = await invite('Book club')
    const { page, sees, send } = await open(carl, '')
    const invitations = page.getByRole('region', { name: 'Invitations' })
    const of = (name: string) => invitations.locator('.invitation').filter({ hasText: name })
    await of('Book club').getByRole('button', { name: 'Decline' }).click()
    await of('Book club').waitFor({ state: 'detached' })
    await eventually('the invitation is gone', async () => {
      const { data } = await carl.call('GET', '/invitations')
      return (data as { room: string }[]).every(({ room }) => room !== declined)
    })
    await invite('Running club')
    await of('Running club').waitFor()
    await of('Chess club').getByRole('button', { name: 'Accept' }).click()
    await send('Here I am')
    await sees('Here I am')
    await of('Chess club').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Chess club/ }).waitFor()
  })

  test('pinned messages are listed far beyond the loaded ones', async () => {
    const room = await newRoom([alice, bob])
    const pinned = await say(alice, room, 'The house rules')
    await alice.call('POST', `/messages/${pinned}/pin`)
    const after = Array.from({ length: 120 }, (_, i) => `after ${i + 1}`)
    await deployment.platform.sendAll(room, alice.id, after)
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: await say(alice, room, 'the last one') })
    const { page, sees, message } = await open(bob, room)
    await sees('the last one')
    assert.equal(await message('The house rules').count(), 0)
    await page.getByRole('button', { name: 'Pinned: The house rules' }).waitFor()
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'The house rules' }).click()
    await page.locator('.is-found').getByText('The house rules', { exact: true }).waitFor()
    await alice.call('DELETE', `/messages/${pinned}/pin`)
    await page.getByRole('button', { name: 'Pinned: The house rules' }).waitFor({ state: 'detached' })
  })

  test('an own message is shown as sent, delivered to a user in another room, and read', async () => {
    const [room, other] = [await newRoom([alice, bob]), await newRoom([alice, bob], { name: 'Other' })]
    const alices = await open(alice, room)
    await alices.send('Are you there?')
    const log = alices.page.getByRole('log')
    await log.getByText('Sent', { exact: true }).waitFor({ state: 'attached' })
    const bobs = await open(bob, other)
    await log.getByText('Delivered', { exact: true }).waitFor({ state: 'attached' })
    await alices.send('Hello?')
    await eventually(
      'both are delivered',
      async () => (await log.getByText('Delivered', { exact: true }).count()) === 2,
    )
    assert.equal(await log.getByText('Read', { exact: true }).count(), 0)
    await bobs.page
      .getByRole('button', { name: /^Friends/ })
      .first()
      .click()
    await bobs.sees('Hello?')
    await eventually('both are read', async () => (await log.getByText('Read', { exact: true }).count()) === 2)
    await alices.page.reload()
    await eventually('and so they are later', async () => (await log.getByText('Read', { exact: true }).count()) === 2)
  })

  test("the user's threads are listed with unread counts; a click opens one", async () => {
    const [dora, room] = [await deployment.platform.newUser('dora', { nickname: 'Dora' }), await newRoom([alice, bob])]
    await alice.call('POST', `/rooms/${room}/members`, { invitees: [dora.id] })
    const about = await say(dora, room, 'Who drives?')
    await say(bob, room, 'I do', { replyTo: about, thread: true })
    const { page } = await open(dora, await newRoom([alice, dora], { name: 'Elsewhere' }))
    const button = page.getByRole('button', { name: 'Threads 1 unread' })
    await button.waitFor()
    await say(alice, room, 'Of others', { replyTo: await say(bob, room, 'Not hers'), thread: true })
    await say(bob, room, 'At eight', { replyTo: about, thread: true })
    await button.click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /2 unread$/ })
      .click()
    const thread = page.getByRole('region', { name: 'Thread' })
    await thread.getByText('At eight', { exact: true }).waitFor()
    await thread.getByText('Who drives?', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Threads', exact: true }).click()
    await page.getByRole('dialog').getByText('2 replies').waitFor()
    assert.equal(await page.getByRole('dialog').locator('.thread-row').count(), 1)
  })

  test('an upload shows its progress; finished uploads survive a reload; without IndexedDB, unfinished ones fail', async () => {
    const room = await newRoom([alice, bob])
    const { page, sees } = await open(alice, room)
    const choose = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await choose('whole.txt', '16 characters...')
    await page.getByText('16 bytes', { exact: true }).waitFor()
    // Never respond.
    await page.route(/\/content\?/, () => undefined)
    await choose('broken.txt', 'x'.repeat(1000))
    await page.getByRole('progressbar', { name: 'broken.txt: Uploading…' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).isEnabled(), false)
    await page.addInitScript(() => {
      Object.defineProperty(window, 'indexedDB', {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    })
    await page.reload()
    // Only after the reload, since this releases pending requests.
    await page.unroute(/\/content\?/)
    await page.getByText('The upload was interrupted. Choose the file again.').waitFor()
    await page.getByText('16 bytes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove broken.txt' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('With a file')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await sees('With a file')
    await page.getByRole('log').getByRole('button', { name: 'whole.txt, 16 bytes' }).waitFor()
    await page.reload()
    await sees('With a file')
    assert.equal(await page.getByRole('button', { name: 'Remove whole.txt' }).count(), 0)
  })

  test("pictures by URL are shown from the app's allowed origins, also after a reload; others are links", async () => {
    const asked: string[] = []
    const serve = async () => {
      const server = createServer((request, response) => {
        asked.push(`${request.headers.host}${request.url}`)
        response.setHeader('content-type', 'image/png').end(onePixel)
      })
      onTestFinished(() => void server.close())
      return `127.0.0.1:${await listenOnLoopback(server)}`
    }
    const [allowed, other] = [await serve(), await serve()]
    await deployment.platform.admin('POST', '/config', { chatPage: { imageOrigins: [`http://${allowed}`] } })
    onTestFinished(async () => void (await deployment.platform.admin('DELETE', '/config/chatPage')))
    const room = await newRoom([alice, bob])
    for (const host of [allowed, other]) await say(bob, room, `http://${host}/dot.png`, { messageType: 'image' })
    const { page } = await open(alice, room, { elsewhere: [allowed] })
    const isShown = () => page.locator('.picture img').evaluate((image: HTMLImageElement) => image.naturalWidth === 1)
    const link = page.getByRole('link', { name: `Open image ${other}` })
    await link.waitFor()
    await eventually('it is shown', isShown)
    assert.doesNotMatch(page.url(), /token/)
    await page.reload()
    await link.waitFor()
    await eventually('it is shown again', isShown)
    assert.deepEqual([...new Set(asked)], [`${allowed}/dot.png`])
  })

  test('a reload opens the room in the URL, even if events of other rooms arrive before the list', async () => {
    const [room, other] = [await newRoom([alice, bob]), await newRoom([alice, bob], { name: 'Another' })]
    await say(alice, room, 'in the room')
    const { page, sees } = await open(bob, room)
    await sees('in the room')
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(
      ({ pathname }) => pathname.endsWith('/rooms'),
      async (route) => {
        asked.resolve()
        await answered.promise
        await route.continue()
      },
    )
    await page.reload()
    await asked.promise
    const heard = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(`/rooms/${other}`))
    await say(alice, other, 'in the other')
    await heard
    await page.getByRole('button', { name: /^Another/ }).waitFor()
    answered.resolve()
    await sees('in the room')
  })

  test('the bell shows when the browser blocks notifications', async () => {
    const { page } = await open(alice, await newRoom([alice]))
    await page.evaluate(() => {
      Notification.requestPermission = () => Promise.resolve('denied')
    })
    await page.getByRole('button', { name: 'Turn on notifications' }).click()
    await page.getByText(/^Your browser blocks notifications/).waitFor()
  })

  test.each(['default', 'granted'])(
    'there is no bell on pages that cannot show notifications (permission: %s)',
    async (permission) => {
      const room = await newRoom([alice, bob])
      const { page, sees } = await open(alice, room)
      // Simulate Chrome on Android without Web Push, in the background.
      await page.addInitScript((permission) => {
        Reflect.deleteProperty(window, 'PushManager')
        const Illegal = function () {
          throw new TypeError('Illegal constructor')
        }
        Object.assign(Illegal, { permission })
        Object.assign(window, { Notification: Illegal })
        Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })
        localStorage.setItem('parley.chat.notify', 'on')
      }, permission)
      await page.reload()
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      await say(bob, room, 'Hello')
      await sees('Hello')
      await page.getByRole('button', { name: /^Turn (?:on|off) notifications/ }).waitFor({ state: 'detached' })
    },
  )
})
