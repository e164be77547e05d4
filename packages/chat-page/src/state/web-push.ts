import type { Client, Message } from '@parley/client'
import { subscribeToPush, unsubscribeFromPush } from '@parley/client/web-push'
import type { Drafts } from '../composer/drafts.ts'
import type { Texts } from '../texts/en.ts'
import type { NotificationTarget } from '../worker/notification-target.ts'
import { actionsOf, type OpenTarget } from '../worker/pushed.ts'
import { closeShown, show } from '../worker/shown.ts'
import { findSubscriber, forgetSubscriber, keepSubscriber, takeUnsent } from '../worker/subscriber.ts'
import { parleyUrl } from './parley-url.ts'

/** Shows the user's notifications through the service worker. */
export interface Pushes {
  show: (message: Message, title: string, body: string) => Promise<void>
}

interface PushOfPage {
  client: Client
  token: string
  deviceID: string
  texts: Texts
}

/** Registers this browser for push, once notifications are allowed. @returns undefined without a push service */
export async function startPush({ client, token, deviceID, texts }: PushOfPage): Promise<Pushes | undefined> {
  const { image, file, reply, markRead, message, readElsewhere, errors } = texts
  const [user = '', clientKey = ''] = [client.me.get()?._id, client.clientKey.get()]
  try {
    const worker = await navigator.serviceWorker.register(workerAddress() as string)
    const shown = { image, file, reply, markRead, message, readElsewhere, notSent: errors.other }
    // Stored before subscribing, so that the worker knows the user at the first push.
    await keepSubscriber(parleyUrl(), { user, token, clientKey, deviceID, texts: shown })
    await subscribeToPush({ api: client.api, worker, deviceID })
    followReads(client, worker)
    return {
      async show({ room, threadOf, _id }, title, body) {
        const target = { room, threadOf, messageID: _id }
        await show(worker, [title, { ...{ body, data: target, actions: actionsOf(texts) }, tag: _id }])
      },
    }
  } catch {
    // No push service or no network: the page shows notifications itself, and retries at its next start.
    return undefined
  }
}

/** Ends push to this browser, for any user. */
export async function endPush(client: Client): Promise<void> {
  const subscriber = await findSubscriber(parleyUrl())
  await forgetSubscriber(parleyUrl())
  const worker = await navigator.serviceWorker.getRegistration(`${parleyUrl()}/chat/`)
  if (!worker) return
  await closeShown(worker, () => true)
  // If the server cannot be reached, its next push finds the subscription gone.
  await unsubscribeFromPush({ api: client.api, worker, deviceID: subscriber?.deviceID ?? '-' }).catch(() => undefined)
}

/** The user that push is registered for. */
export const subscribedUser = async (): Promise<string | undefined> => (await findSubscriber(parleyUrl()))?.user

/** Closes the notifications of rooms read here, and updates the app icon's badge. */
function followReads(client: Client, worker: ServiceWorkerRegistration): void {
  const follow = async (badge: number) => {
    await navigator.setAppBadge?.(badge).catch(() => undefined)
    const unread = new Set(client.rooms.get().flatMap((room) => (room.unread > 0 ? [room._id] : [])))
    const isRead = ({ room, threadOf }: NotificationTarget) =>
      room !== undefined && threadOf === undefined && !unread.has(room)
    await closeShown(worker, isRead)
  }
  client.badge.subscribe((badge) => void follow(badge))
}

/** Listens for clicks on notifications that the worker has shown. */
export function onPlaceClicked(client: Client, drafts: Drafts, open: (room: string, thread?: string) => void): void {
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<OpenTarget>) => {
    if (data?.type !== 'parley.open' || data.user !== client.me.get()?._id) return
    const { room, threadOf } = data.target
    if (room !== undefined) open(room, threadOf)
    void draftUnsent(client, drafts)
  })
}

/** Replies that the worker could not send become drafts. */
export async function draftUnsent(client: Client, drafts: Drafts): Promise<void> {
  for (const { target, text } of await takeUnsent(parleyUrl(), client.me.get()?._id ?? '')) {
    const id = target.threadOf ?? target.room ?? ''
    const begun = drafts.of(id).get().text
    drafts.change(id, { text: begun === '' ? text : `${begun}\n${text}` })
  }
}

let address: unknown

/** The page's CSP (services/api-gateway/src/documents/chat-page.ts) allows one Trusted Types policy, for this URL. */
function workerAddress(): unknown {
  const plain = `${parleyUrl()}/chat/worker.js`
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  address ??= trustedTypes?.createPolicy('parley-worker', { createScriptURL: () => plain }).createScriptURL('') ?? plain
  return address
}

interface TrustedTypes {
  createPolicy: (name: string, rules: object) => { createScriptURL: (given: string) => unknown }
}
