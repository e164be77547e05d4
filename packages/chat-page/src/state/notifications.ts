import { previewOf } from '../rooms/preview.ts'
import type { Chat } from './chat.ts'
import { onNews } from './news.ts'
import { nameOf } from './people.ts'
import { createValue } from './value.ts'

/** Desktop notifications, for those who ask for them. */
export interface Notifications {
  isOn: ReturnType<typeof createValue<boolean>>
  isPossible: boolean
  turn: (on: boolean) => Promise<void>
}

const key = 'parley.chat.notify'

/** @param onOpen the user clicked one: shows the room, or the thread in it */
export function createNotifications(
  chat: Pick<Chat, 'client' | 'texts' | 'threads'>,
  onOpen: (roomID: string, threadID?: string) => void,
): Notifications {
  const isPossible = 'Notification' in window && window.isSecureContext
  const isOn = createValue(isPossible && Notification.permission === 'granted' && stored() === 'on')

  onNews(chat, (message) => {
    if (!isOn.get() || !document.hidden) return
    const notification = new Notification(nameOf(message.sender), {
      body: previewOf(message, chat.texts),
      tag: message._id,
    })
    notification.addEventListener('click', () => {
      window.focus()
      onOpen(message.room, message.threadOf)
      notification.close()
    })
  })
  return {
    isOn,
    isPossible,
    async turn(on) {
      const permission = on ? await Notification.requestPermission() : 'denied'
      isOn.set(permission === 'granted')
      store(isOn.get() ? 'on' : 'off')
    },
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
