import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { type PushServiceDouble, startPushService } from '../doubles/push-service.ts'
import { certificateFile } from '../doubles/tls.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import { isChromiumMissing } from './chromium.ts'

interface Shown {
  title: string
  body: string
  actions: string[]
}

/** The page's service worker and its notifications. */
interface PageWorker {
  /** Delivers a push as the browser would. */
  deliver: (said: unknown) => Promise<void>
  shown: () => Promise<Shown[]>
  /** The answer to the next call does not arrive. */
  loseAnswer: () => Promise<void>
  /** No call gets through, and meanwhile the user logs out. */
  logOutDuringCalls: () => Promise<void>
  /** How many replies are kept for the next page. */
  unsent: () => Promise<number>
  /** Replaces the subscription, as the browser's push service can. */
  renewTo: (subscription: string) => Promise<void>
  /** Clicks the latest notification or one of its buttons; returns the URL that it opens. */
  click: (action?: string, reply?: string) => Promise<string | undefined>
}

describe.skipIf(isChromiumMissing('browser'))('the chat page in a browser: Web Push', () => {
  const { deployment, alice, bob, newRoom, say, open } = aliceAndBob(1, 'browser')
  let service: PushServiceDouble
  beforeAll(async () => {
    service = await startPushService()
    await deployment.platform.start('push', {
      NODE_EXTRA_CA_CERTS: certificateFile,
      PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'true',
      PARLEY_PUSH_WEB_SUBJECT: 'mailto:push@example.com',
    })
  })
  afterAll(() => service.stop())

  /** Opens the page and turns notifications on, with a double of the push service, which this Chromium lacks. */
  async function subscribed(user: PlatformUser, room: string): Promise<Page> {
    const { page } = await open(user, room, { permissions: ['notifications'] })
    await usePushService(page, service)
    const subscribing = page.waitForResponse((response) => response.url().endsWith('/me/subscribe') && response.ok())
    await page.getByRole('button', { name: 'Turn on notifications' }).click()
    await subscribing
    return page
  }

  /** Closes the page, sends a message and delivers its push to the worker. */
  async function pushed(worker: PageWorker, room: string, message: string): Promise<{ path: string }> {
    const before = service.pushes.length
    await say(bob, room, message)
    // A silent push of earlier reads can arrive in between.
    const push = await eventually('the push', () =>
      service.pushes.slice(before).find(({ said }) => JSON.stringify(said).includes(`"${message}"`)),
    )
    await worker.deliver(push.said)
    await eventually('it is shown', async () => (await worker.shown()).some(({ body }) => body === message))
    return push
  }

  const isOffline = async (user: PlatformUser) =>
    ((await deployment.platform.admin('GET', `/admin/clients/${user.id}/connections`))['data'] as unknown[]).length ===
    0
  const unreadOf = async (room: string) => (await alice.call('GET', `/rooms/${room}`))['unread']

  test('a message is shown while the page is closed; its buttons reply and mark as read, and a click opens the room', async () => {
    const [room, other] = [await newRoom(), await newRoom([alice, bob], { name: 'Other' })]
    const page = await subscribed(alice, other)
    const worker = await workerOf(page.context(), deployment.front.port)
    await page.close()
    await eventually('she is offline', () => isOffline(alice))
    await pushed(worker, room, 'first')
    assert.deepEqual(await worker.shown(), [
      { title: 'Bob · Friends', body: 'first', actions: ['Reply', 'Mark as read'] },
    ])
    await worker.click('read')
    assert.equal(await unreadOf(room), 0)
    assert.deepEqual(await worker.shown(), [])
    await pushed(worker, room, 'second')
    await worker.loseAnswer()
    await worker.click('reply', 'on my way')
    const { data } = await bob.call('GET', `/rooms/${room}/messages/v3?limit=2`)
    assert.deepEqual(
      new Set((data as { message: unknown }[]).map(({ message }) => message)),
      new Set(['second', 'on my way']),
    )
    assert.equal(await unreadOf(room), 0)
    const before = new Set(service.pushes.map(({ path }) => path))
    await worker.renewTo(service.subscribe(String((await alice.call('GET', '/me/webPushKey'))['publicKey'])))
    const { path } = await pushed(worker, room, 'third')
    assert.ok(!before.has(path), 'it went to the new subscription')
    const opened = await page.context().newPage()
    await opened.goto(String(await worker.click()))
    await opened.getByRole('log').getByText('third', { exact: true }).waitFor()
    assert.doesNotMatch(opened.url(), /token/)
    await opened.close()
    await worker.deliver({ room, messageID: 'x', locArgs: ['Bob', 'Friends', 'still there?'] })
    await eventually('it is shown', async () => (await worker.shown()).at(-1)?.body === 'still there?')
    await worker.logOutDuringCalls()
    await worker.click('reply', 'no longer')
    assert.equal(await worker.unsent(), 0)
    assert.equal(
      (await worker.shown()).some(({ body }) => body === 'no longer'),
      false,
    )
  })

  test('after the token has ended a reply is kept for the next page, and a click opens the page without the token', async () => {
    const { platform, front } = deployment
    const erin = await platform.newUser('erin', { nickname: 'Erin' })
    const room = await newRoom([erin, bob])
    const page = await subscribed(erin, room)
    const context = page.context()
    const worker = await workerOf(context, front.port)
    await page.close()
    await eventually('she is offline', () => isOffline(erin))
    await pushed(worker, room, 'first')
    await platform.admin('DELETE', '/admin/clients/erin/token', {})
    await worker.click('read')
    const bodies = async () => (await worker.shown()).map(({ body }) => body)
    assert.deepEqual(await bodies(), ['first'], 'it is still there')
    await worker.click('reply', 'not lost')
    assert.deepEqual(await bodies(), ['not lost'])
    const address = new URL(String(await worker.click()))
    assert.deepEqual([address.hash, address.searchParams.get('room')], ['', room])
    const { token } = await platform.admin('POST', '/admin/clients', { _id: 'erin', issueAccessToken: true })
    const opened = await context.newPage()
    const secret = new URLSearchParams({ token: String(token), room })
    await opened.goto(`${address.origin}${address.pathname}?clientKey=${platform.clientKey}#${secret}`)
    await eventually(
      'it is a draft',
      async () => (await opened.getByRole('textbox', { name: 'Message' }).inputValue()) === 'not lost',
    )
  })

  test('pushes of messages and of reads elsewhere at once lose no notification', async () => {
    const room = await newRoom()
    const page = await subscribed(alice, room)
    const worker = await workerOf(page.context(), deployment.front.port)
    const ids = Array.from({ length: 20 }, (_, k) => `message ${k}`)
    const readElsewhere = { type: 'read', rooms: [], threads: ['other'], messages: [], badge: 1 }
    await Promise.all(
      ids.flatMap((messageID) => [
        worker.deliver({ room, threadOf: 'a thread', messageID, locArgs: ['Bob', '', messageID] }),
        worker.deliver(readElsewhere),
      ]),
    )
    await eventually('all are shown', async () => {
      const bodies = new Set((await worker.shown()).map(({ body }) => body))
      return ids.every((one) => bodies.has(one))
    })
  })

  test('an open page shows the clicked room, removes notifications of read messages, and ends the subscription', async () => {
    const [room, other] = [await newRoom(), await newRoom([alice, bob], { name: 'Other' })]
    const page = await subscribed(alice, other)
    const worker = await workerOf(page.context(), deployment.front.port)
    await say(bob, room, 'hello')
    // Until then, a badge update removes notifications of the room.
    await page
      .getByRole('button', { name: /^Friends.*unread/s })
      .first()
      .waitFor()
    await worker.deliver({ room, messageID: 'x', locArgs: ['Bob', 'Friends', 'hello'] })
    await eventually('it is shown', async () => (await worker.shown()).length === 1)
    await worker.deliver({ room: other, messageID: 'y', locArgs: ['Bob', 'Other', 'kept?'] })
    await eventually('both', async () => (await worker.shown()).length === 2)
    // The later one is of the open room, which is read at the next badge update.
    const clicked = page.getByRole('log').getByText('hello', { exact: true })
    await page
      .getByRole('button', { name: /^Friends/ })
      .first()
      .click()
    await clicked.waitFor()
    await eventually('none is left', async () => (await worker.shown()).length === 0)
    await worker.deliver({ room: other, messageID: 'z', locArgs: ['Bob', 'Other', 'come'] })
    await eventually('it is shown', async () => (await worker.shown()).length === 1)
    await worker.click()
    await page.getByRole('heading', { name: 'Other' }).waitFor()
    for (const messageID of ['a', 'b', 'c']) {
      await worker.deliver({ room: messageID === 'a' ? room : other, messageID, locArgs: ['Bob', '', messageID] })
    }
    await worker.deliver({ room, threadOf: 't', messageID: 'd', locArgs: ['Bob', '', 'd'] })
    const bodies = async () => (await worker.shown()).map(({ body }) => body).toSorted()
    await eventually('all are shown', async () => (await bodies()).length === 4)
    await worker.deliver({ type: 'read', rooms: [room], threads: [], messages: ['b'], badge: 1 })
    await eventually('two are left', async () => (await bodies()).join() === 'c,d')
    await worker.deliver({ type: 'read', rooms: [], threads: ['t'], messages: [], badge: 1 })
    await eventually('one is left', async () => (await bodies()).join() === 'c')
    await worker.deliver({ type: 'read', rooms: [], threads: [], messages: [], badge: 0 })
    await eventually('none is left', async () => (await bodies()).length === 0)
    const ending = page.waitForResponse((response) => response.url().endsWith('/me/unsubscribe'))
    await page.getByRole('button', { name: 'Turn off notifications' }).click()
    assert.deepEqual(((await (await ending).json()) as { result: unknown }).result, { removed: 1 })
    await worker.deliver({ room, messageID: 'w', locArgs: ['Bob', 'Friends', 'too late'] })
    assert.deepEqual(await worker.shown(), [])
  })
})

/** Makes the page subscribe at the double. */
async function usePushService(page: Page, service: PushServiceDouble): Promise<void> {
  await page.exposeFunction('subscribeAtDouble', (key: string) => service.subscribe(key))
  await page.evaluate(() => {
    const { subscribeAtDouble } = window as unknown as { subscribeAtDouble: (key: unknown) => Promise<string> }
    let current: object | null = null
    const unsubscribe = async () => {
      current = null
      return true
    }
    Object.assign(PushManager.prototype, {
      getSubscription: async () => current,
      async subscribe({ applicationServerKey }: PushSubscriptionOptionsInit) {
        const json = JSON.parse(await subscribeAtDouble(applicationServerKey))
        current = { unsubscribe, toJSON: () => json, options: { applicationServerKey: null } }
        return current
      },
    })
  })
}

async function workerOf(context: BrowserContext, port: number): Promise<PageWorker> {
  const [worker = await context.waitForEvent('serviceworker')] = context.serviceWorkers()
  // A page without scripts, through which the DevTools protocol reaches the worker when all others are closed.
  const beside = await context.newPage()
  const origin = `http://127.0.0.1:${port}`
  await beside.goto(`${origin}/chat/icon.svg`)
  const session = await context.newCDPSession(beside)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin))
      if (found) resolve(found.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  onTestFinished(() => session.detach().catch(() => undefined))
  return {
    deliver: async (said) => {
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(said) })
    },
    renewTo: (subscription) =>
      worker.evaluate(async (text) => {
        const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
        const renewed = { toJSON: () => JSON.parse(text), options: { applicationServerKey: null } }
        const subscriptions = { getSubscription: async () => null, subscribe: async () => renewed }
        Object.defineProperty(registration, 'pushManager', { value: subscriptions })
        const event = new Event('pushsubscriptionchange')
        let work: Promise<unknown> | undefined
        Object.assign(event, { waitUntil: (given: Promise<unknown>) => (work = given) })
        globalThis.dispatchEvent(event)
        await work
      }, subscription),
    shown: () =>
      worker.evaluate(async () => {
        const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
        const list = () => registration.getNotifications()
        // Beside it, Chromium 156 loses what is being shown.
        const shown: Notification[] = await navigator.locks.request('parley.notifications', list)
        type WithActions = Notification & { actions: { title: string }[] }
        return (shown as WithActions[]).map(({ title, body, actions }) => ({
          title,
          body,
          actions: actions.map((one) => one.title),
        }))
      }),
    loseAnswer: () =>
      worker.evaluate(() => {
        const real = globalThis.fetch
        globalThis.fetch = async (...call) => {
          globalThis.fetch = real
          await real(...call)
          throw new TypeError('the answer is lost')
        }
      }),
    logOutDuringCalls: () =>
      worker.evaluate(() => {
        globalThis.fetch = async () => {
          await (await caches.open('parley.push')).delete(new URL('subscriber', globalThis.location.href))
          throw new TypeError('offline')
        }
      }),
    unsent: () =>
      worker.evaluate(async () => {
        const found = await (await caches.open('parley.push')).match(new URL('unsent', globalThis.location.href))
        return found ? ((await found.json()) as unknown[]).length : 0
      }),
    click: (action = '', reply = '') =>
      worker.evaluate(
        async ([action, reply]) => {
          const scope = globalThis as unknown as {
            registration: ServiceWorkerRegistration
            clients: { openWindow: (url: string) => Promise<void> }
            NotificationEvent: new (type: string, given: object) => Event
          }
          const list = () => scope.registration.getNotifications()
          const notification = (await navigator.locks.request('parley.notifications', list)).at(-1)
          const event = new scope.NotificationEvent('notificationclick', { notification, action })
          let work: Promise<unknown> | undefined
          let opened: string | undefined
          // A simulated click may not open a window.
          scope.clients.openWindow = async (url) => void (opened = url)
          Object.defineProperties(event, {
            reply: { value: reply },
            waitUntil: { value: (given: Promise<unknown>) => (work = given) },
          })
          globalThis.dispatchEvent(event)
          await work?.catch((error: Error) => {
            if (error.name !== 'InvalidAccessError') throw error
          })
          return opened
        },
        [action, reply],
      ),
  }
}
