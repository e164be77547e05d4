import type { Client, Message } from '@parley/client'
import { readPreview } from '../rooms/preview.ts'
import type { Texts } from '../texts/en.ts'
import type { Chat } from './chat.ts'
import { onNews } from './news.ts'
import { nameOf } from './people.ts'
import { createValue } from './value.ts'
import type { Pushes } from './web-push.ts'
import { whenKnown } from './when-known.ts'

/** Desktop notifications, once the user turns them on. */
export interface Notifications {
  isOn: ReturnType<typeof createValue<boolean>>
  isPossible: ReturnType<typeof createValue<boolean>>
  turn: (on: boolean) => Promise<void>
}

const key = 'parley.chat.notify'

/** For pushes while the page is closed. */
export interface PushAccess {
  token: string
  deviceID: string
}

type Parts = Pick<Chat, 'client' | 'threads' | 'notices' | 'config'> & {
  texts: () => Texts
  push: PushAccess | undefined
  /** Whether this tab shows them, of all tabs of the user. */
  mayNotify: () => boolean
}

/** @param onOpen the user clicked one: shows the room, or the thread in it */
export function createNotifications(chat: Parts, onOpen: (roomID: string, threadID?: string) => void): Notifications {
  const isKnown = 'Notification' in window && window.isSecureContext && isAskable()
  const pushes = isKnown && chat.push && canPush() ? createPushes(chat, chat.push, onOpen) : undefined
  const isPossible = createValue(isKnown && (pushes !== undefined || isConstructor()))
  const isOn = createValue(isPossible.get() && Notification.permission === 'granted' && stored() === 'on')

  function turn(on: boolean): void {
    isOn.set(on)
    store(on ? 'on' : 'off')
    void pushes?.turn(on)
  }
  // Another tab shows those of all.
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
      // The pushes to this browser, which another tab began, go on.
      isPossible.set(pushes !== undefined)
      return
    }
    notification.addEventListener('click', () => {
      window.focus()
      onOpen(message.room, message.threadOf)
      notification.close()
    })
  }
  onNews(chat, (message) => void show(message))
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

/** Ends the pushes to this browser at a logout. */
export async function endPushOf(client: Client): Promise<void> {
  if (!canPush()) return
  const { endPush } = await import('./web-push.ts')
  await endPush(client)
  store('off')
}

const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window

/** Pushes to this browser, by code that is loaded once they are on. */
function createPushes({ client, texts }: Parts, access: PushAccess, onOpen: (room: string, thread?: string) => void) {
  let started: Promise<Pushes | undefined> | undefined

  async function start(): Promise<Pushes | undefined> {
    const { startPush, onPlaceClicked } = await import('./web-push.ts')
    onPlaceClicked(client, onOpen)
    // The worker needs the user and the key of the app; the button may be clicked before the first login.
    await whenKnown(client)
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

  /** They were on before, perhaps for another user of the browser: these end. */
  async function goOn(onOther: () => void): Promise<void> {
    await whenKnown(client)
    const { subscribedUser } = await import('./web-push.ts')
    const user = await subscribedUser()
    if (user === undefined || user === client.me.get()?._id) await turn(true)
    else onOther()
  }

  /** Another tab has begun them, for this tab's user. */
  async function follow(): Promise<Pushes | undefined> {
    const { subscribedUser } = await import('./web-push.ts')
    const user = await subscribedUser()
    if (user !== undefined && user === client.me.get()?._id) started ??= start()
    return started
  }

  client.connection.subscribe((state) => {
    // The session was ended, as by a logout elsewhere.
    if (state.status === 'stopped' && state.error.code === 'INVALID_TOKEN' && started) void turn(false)
  })
  return {
    ...{ turn, goOn },
    /** Another tab has turned them on or off. */
    reset(): void {
      started = undefined
    },
    /** @returns whether the worker has shown it */
    async show(...of: Parameters<Pushes['show']>): Promise<boolean> {
      const pushes = await (started ?? follow())
      await pushes?.show(...of)
      return pushes !== undefined
    },
  }
}

/** Frames in pages of other origins may not ask the user. */
function isAskable(): boolean {
  try {
    return window.parent.location.origin === location.origin
  } catch {
    return false
  }
}

/** Before it is permitted, a trial shows nothing; after it, the first notification is the trial. */
const isConstructor = (): boolean => Notification.permission === 'granted' || notify('') !== undefined

/** Returns none in Chrome on Android, where service workers alone may show them. */
function notify(title: string, options?: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options)
  } catch {
    return undefined
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function store(value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // It holds for this page then.
  }
}
