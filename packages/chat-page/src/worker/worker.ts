import type { ParleyError, UserCalls } from '@parley/client'
import { createWorkerCalls, subscribeToPush } from '@parley/client/web-push'
import type { NotificationTarget } from './notification-target.ts'
import { notificationOf, type OpenTarget, type Pushed } from './pushed.ts'
import { closeShown, lockNotifications, show } from './shown.ts'
import { endToken, findSubscriber, keepUnsent, type Subscriber } from './subscriber.ts'

/** The chat page's service worker, which shows notifications while no page is connected. */
declare const self: ServiceWorkerGlobalScope

/** TypeScript's DOM library lacks actions. */
type Shown = Notification & { actions?: object[] }

/** `reply` is the reply's text, in browsers where users can type it in the notification. */
type Clicked = NotificationEvent & { reply?: string | null }

// The worker is at <url>/chat/worker.js.
const url = new URL('..', self.location.href).href.replace(/\/$/, '')
const { registration, clients } = self

self.addEventListener('push', (event) => event.waitUntil(receive((event.data?.json() ?? {}) as Pushed)))
self.addEventListener('notificationclick', (event) => event.waitUntil(act(event)))
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew()))

async function receive(pushed: Pushed): Promise<void> {
  const subscriber = await findSubscriber(url)
  // The user logged out while the server was unreachable.
  if (!subscriber) return void (await (await registration.pushManager.getSubscription())?.unsubscribe())
  if (pushed.badge !== undefined) await navigator.setAppBadge?.(pushed.badge)
  if (pushed.type === 'read') await lockNotifications(() => closeHandled(subscriber, pushed))
  else await show(registration, notificationOf(pushed, subscriber))
}

/** Closes notifications of messages that were read on another device or deleted. */
async function closeHandled(
  { texts }: Subscriber,
  { rooms = [], threads = [], messages = [], badge }: Pushed,
): Promise<void> {
  const isRead = ({ room = '', threadOf }: NotificationTarget) =>
    threadOf === undefined ? room !== '' && (badge === 0 || rooms.includes(room)) : threads.includes(threadOf)
  const isHandled = (target: NotificationTarget) => messages.includes(target.messageID ?? '') || isRead(target)
  const shown = await registration.getNotifications()
  const [handled = [], left = []] = [true, false].map((is) => shown.filter(({ data }) => isHandled(data ?? {}) === is))
  for (const one of handled) one.close()
  // Browsers revoke subscriptions whose pushes show nothing: reshow an old notification, or briefly show a new one.
  const last = left.at(-1)
  if (last) {
    await registration.showNotification(...silently(last))
    return
  }
  const tag = 'read elsewhere'
  await registration.showNotification(texts.readElsewhere, { tag, silent: true })
  for (const one of await registration.getNotifications({ tag })) one.close()
}

/** The same notification again, without a sound. */
function silently(shown: Notification): [title: string, options: NotificationOptions] {
  const { title, body, data, tag, actions } = shown as Shown
  return [title, { ...{ body, data, tag, actions }, silent: true }]
}

async function act({ notification, action, reply }: Clicked): Promise<void> {
  const subscriber = await findSubscriber(url)
  const target = (notification.data ?? {}) as NotificationTarget
  notification.close()
  if (!subscriber) return
  if (action === 'read') {
    const isDone = await markRead(subscriber, target)
    if (!isDone) await show(registration, silently(notification))
  } else if (action === 'reply' && reply) await send(subscriber, target, reply)
  else await open(subscriber, target)
}

async function markRead(
  subscriber: Subscriber,
  { room = '', threadOf, messageID: message = '' }: NotificationTarget,
): Promise<boolean> {
  const isDone = await attempt(subscriber, (api) =>
    threadOf === undefined ? api.markRead({ id: room, message }) : api.markThreadRead({ id: threadOf, message }),
  )
  if (!isDone) return false
  await closeShown(registration, (other) => other.room === room && other.threadOf === threadOf)
  return true
}

async function send(subscriber: Subscriber, target: NotificationTarget, message: string): Promise<void> {
  const { room: id = '', threadOf } = target
  const about = threadOf === undefined ? {} : { replyTo: threadOf, thread: true as const }
  const clientMessageID = crypto.randomUUID()
  const reply = { id, message, messageType: 'text', clientMessageID, ...about }
  const isSent = await attempt(subscriber, (api) => api.writeMessage(reply))
  if (isSent) return void (await markRead(subscriber, target))
  // The text is not lost: a click leads to where it is a draft.
  const isKept = await keepUnsent(url, { user: subscriber.user, target, text: message })
  if (!isKept) return
  await show(registration, [subscriber.texts.notSent, { body: message, data: target }])
}

/** Opens the target in an existing page, or a new one. */
async function open({ user, token, clientKey }: Subscriber, target: NotificationTarget): Promise<void> {
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find((one) => new URL(one.url).pathname === new URL(`${url}/chat`).pathname)
  if (page) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a Client is of this origin
    page.postMessage({ type: 'parley.open', user, target } satisfies OpenTarget)
    await page.focus()
    return
  }
  const ofRoom = target.room !== undefined && { room: target.room }
  const ended = token === '' || isExpired(token)
  // Without a token, so that whatever logs the user in at this address does it.
  const query = new URLSearchParams({ clientKey, ...(ended && ofRoom) })
  const fragment = ended ? '' : `#${new URLSearchParams({ token, ...ofRoom })}`
  await clients.openWindow(`${url}/chat?${query}${fragment}`)
}

/** Of a JWT (RFC 7519); other tokens do not say when they end. */
function isExpired(token: string): boolean {
  try {
    const claims = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const { exp } = JSON.parse(atob(claims)) as { exp?: number }
    return exp !== undefined && exp * 1_000 <= Date.now()
  } catch {
    return false
  }
}

async function renew(): Promise<void> {
  const subscriber = await findSubscriber(url)
  if (!subscriber) return
  const { deviceID } = subscriber
  // Otherwise the next page does it.
  await attempt(subscriber, (api) => subscribeToPush({ api, worker: registration, deviceID }))
}

/** Calls as the user; returns whether it was done. A token that has ended is not tried again. */
async function attempt(subscriber: Subscriber, call: (api: UserCalls) => Promise<unknown>): Promise<boolean> {
  if (subscriber.token === '') return false
  try {
    const api = createWorkerCalls({ ...subscriber, url })
    await untilAnswered(() => call(api))
    return true
  } catch (error) {
    if ((error as Partial<ParleyError>).code === 'INVALID_TOKEN') await endToken(url, subscriber.token)
    return false
  }
}

/** Repeats a call once if its outcome is unknown. All of the worker's calls are idempotent. */
async function untilAnswered(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    const { code, status = 0 } = error as Partial<ParleyError>
    if (code !== 'NETWORK_ERROR' && status < 500) throw error
    await call()
  }
}
