import type { Client, Message } from '@parley/client'
import { readPreview } from '../rooms/preview.ts'
import type { Texts } from '../texts/en.ts'
import type { Chat } from './chat.ts'
import { onNotifiable, type Settings } from './notifiable.ts'
import { nameOf } from './people.ts'
import { storageOf } from './storage.ts'
import { createValue } from './value.ts'
import type { Pushes } from './web-push.ts'
import { whenKnown } from './when.ts'

/** Desktop notifications, once the user turns them on. */
export interface Notifications {
  isOn: ReturnType<typeof createValue<boolean>>
  isPossible: ReturnType<typeof createValue<boolean>>
  turn: (on: boolean) => Promise<void>
}

const key = 'parley.chat.notify'

/** Credentials for push while the page is closed. */
export interface PushAccess {
  token: string
  deviceID: string
}

type Parts = Pick<Chat, 'client' | 'threads' | 'notices' | 'config' | 'drafts'> & {
  texts: () => Texts
  push: PushAccess | undefined
  /** Whether this one of the user's tabs shows notifications. */
  mayNotify: () => boolean
}

/** @param onOpen called on a click, to open the room or thread */
export function createNotifications(chat: Parts, onOpen: (roomID: string, threadID?: string) => void): Notifications {
  const isKnown = 'Notification' in window && window.isSecureContext && isAskable()
  const pushes = isKnown && chat.push && canPush() ? createPushes(chat, chat.push, onOpen) : undefined
  const isPossible = createValue(isKnown && (pushes !== undefined || isConstructor()))
  const isOn = createValue(
    isPossible.get() && Notification.permission === 'granted' && storageOf('localStorage')?.getItem(key) === 'on',
  )

  function turn(on: boolean): void {
    isOn.set(on)
    store(on ? 'on' : 'off')
    void pushes?.turn(on)
  }
  // Follow the setting when another tab changes it.
  window.addEventListener('storage', (change) => {
    if (change.key !== key) return
    pushes?.reset()
    isOn.set(isPossible.get() && change.newValue === 'on')
  })

  async function show(message: Message): Promise<void> {
    if (!isOn.get() || !chat.mayNotify()) return
    const body = await readPreview(message, chat.texts(), chat.config.get())
    const title = nameOf(message.sender)
    if (await pushes?.show(message, title, body)) return
    const notification = notify(title, { body, tag: message._id })
    if (!notification) {
      // The tab cannot show notifications itself. Push, if available, is unaffected.
      isPossible.set(pushes !== undefined)
      return
    }
    notification.addEventListener('click', () => {
      window.focus()
      onOpen(message.room, message.threadOf)
      notification.close()
    })
  }
  onNotifiable({ ...chat, settings: followSettings(chat.client, isOn) }, (message) => void show(message))
  if (isOn.get()) void pushes?.goOn(() => turn(false))
  return {
    isOn,
    isPossible,
    async turn(on) {
      const permission = on ? await Notification.requestPermission() : 'default'
      if (permission === 'denied') chat.notices.show(chat.texts().notifyDenied)
      turn(permission === 'granted')
    },
  }
}

/** Returns the latest settings of the user or a thread, read when a message first needs them in a connection. */
function followSettings(client: Client, isOn: Notifications['isOn']) {
  const known = new Map<string, Promise<Settings>>()
  client.on('notificationSettings', ({ room, threadOf = '', settings }) => {
    if (room === undefined || threadOf !== '') known.set(threadOf, Promise.resolve(settings))
  })
  client.connection.subscribe(({ status }) => {
    if (status === 'connecting') known.clear()
  })
  const read = async (threadOf: string): Promise<Settings> => {
    const { api } = client
    try {
      return await (threadOf === '' ? api.getMyNotifications() : api.getMyThreadNotifications({ id: threadOf }))
    } catch {
      // Notifications appear as without settings. A mention does not make a user take part in a thread.
      known.delete(threadOf)
      return {}
    }
  }
  return async (threadOf = ''): Promise<Settings> => {
    if (!isOn.get()) return {}
    const reading = known.get(threadOf) ?? read(threadOf)
    known.set(threadOf, reading)
    return reading
  }
}

/** Ends push to this browser at logout. */
export async function endPushOf(client: Client): Promise<void> {
  if (!canPush()) return
  const { endPush } = await import('./web-push.ts')
  await endPush(client)
  store('off')
}

const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window

/** Push to this browser. Its code loads when push is turned on. */
function createPushes(
  { client, drafts, texts }: Parts,
  access: PushAccess,
  onOpen: (room: string, thread?: string) => void,
) {
  let started: Promise<Pushes | undefined> | undefined

  async function start(): Promise<Pushes | undefined> {
    const { startPush, onPlaceClicked, draftUnsent } = await import('./web-push.ts')
    onPlaceClicked(client, drafts, onOpen)
    // The worker needs the user and client key, and the button may be clicked before the first login.
    await whenKnown(client)
    void draftUnsent(client, drafts)
    return startPush({ client, ...access, texts: texts() })
  }

  async function turn(on: boolean): Promise<void> {
    if (on) started ??= start()
    else {
      started = undefined
      const { endPush } = await import('./web-push.ts')
      await endPush(client)
    }
  }

  /** Resumes push that was on before a reload. Calls `onOther` if the subscription is another user's. */
  async function goOn(onOther: () => void): Promise<void> {
    await whenKnown(client)
    const { subscribedUser } = await import('./web-push.ts')
    const user = await subscribedUser()
    if (user === undefined || user === client.me.get()?._id) await turn(true)
    else onOther()
  }

  /** Joins push that another tab has started for the same user. */
  async function follow(): Promise<Pushes | undefined> {
    const { subscribedUser } = await import('./web-push.ts')
    const user = await subscribedUser()
    if (user !== undefined && user === client.me.get()?._id) started ??= start()
    return started
  }

  client.connection.subscribe((state) => {
    // The session has ended, for instance by a logout elsewhere.
    if (state.status === 'stopped' && state.error.code === 'INVALID_TOKEN' && started) void turn(false)
  })
  return {
    ...{ turn, goOn },
    /** Forgets the state after another tab has turned push on or off. */
    reset(): void {
      started = undefined
    },
    /** @returns whether the worker has shown the notification */
    async show(...of: Parameters<Pushes['show']>): Promise<boolean> {
      const pushes = await (started ?? follow())
      await pushes?.show(...of)
      return pushes !== undefined
    },
  }
}

/** False in frames on other origins' pages, which may not request permission. */
function isAskable(): boolean {
  try {
    return window.parent.location.origin === location.origin
  } catch {
    return false
  }
}

/** Whether `new Notification` works. Without permission a try shows nothing; with it, the first notification tells. */
const isConstructor = (): boolean => Notification.permission === 'granted' || notify('') !== undefined

/** Returns undefined in Chrome on Android, where only service workers may show notifications. */
function notify(title: string, options?: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options)
  } catch {
    return undefined
  }
}

function store(value: string): void {
  try {
    storageOf('localStorage')?.setItem(key, value)
  } catch {
    // The storage is full: the setting lasts as long as the page.
  }
}
