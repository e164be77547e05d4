import type { Message } from '@parley/client'
import { readPreview } from '../rooms/preview.ts'
import type { Texts } from '../texts/en.ts'
import type { Chat } from './chat.ts'
import { isLookedAt } from './looked-at.ts'
import { onNews } from './news.ts'
import { nameOf } from './people.ts'
import { createValue } from './value.ts'

/** Desktop notifications, once the user turns them on. */
export interface Notifications {
  isOn: ReturnType<typeof createValue<boolean>>
  isPossible: ReturnType<typeof createValue<boolean>>
  turn: (on: boolean) => Promise<void>
}

const key = 'parley.chat.notify'

/** @param onOpen the user clicked one: shows the room, or the thread in it */
export function createNotifications(
  chat: Pick<Chat, 'client' | 'threads' | 'notices' | 'config'> & { texts: () => Texts },
  onOpen: (roomID: string, threadID?: string) => void,
): Notifications {
  const isKnown = 'Notification' in window && window.isSecureContext && isAskable()
  const isPossible = createValue(isKnown && isConstructor())
  const isOn = createValue(isPossible.get() && Notification.permission === 'granted' && stored() === 'on')

  function turn(on: boolean): void {
    isOn.set(on)
    store(on ? 'on' : 'off')
  }

  async function show(message: Message): Promise<void> {
    if (!isOn.get() || isLookedAt()) return
    const body = await readPreview(message, chat.texts(), chat.config.get())
    const notification = notify(nameOf(message.sender), { body, tag: message._id })
    if (!notification) {
      isPossible.set(false)
      return turn(false)
    }
    notification.addEventListener('click', () => {
      window.focus()
      onOpen(message.room, message.threadOf)
      notification.close()
    })
  }
  onNews(chat, (message) => void show(message))
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
