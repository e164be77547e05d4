import type { Client, Store } from '@parley/client'
import { createThreads } from '@parley/client/threads'
import { createUploads } from '@parley/client/uploads'
import { createDrafts } from '../composer/drafts.ts'
import type { Texts } from '../texts/en.ts'
import { type Chat, type ShownPerson, sentenceOf } from './chat.ts'
import type { ChatConfig } from './chat-config.ts'
import { createFileStorage } from './file-storage.ts'
import { createNotices } from './notices.ts'
import { createPeople } from './people.ts'
import { storageOf } from './storage.ts'
import { createValue } from './value.ts'

export type ChatParts = Omit<Chat, 'texts' | 'lang' | 'direction'>

interface ChatOptions extends Pick<ChatParts, 'imageOrigins' | 'openRoom' | 'onClose' | 'slots' | 'isPart'> {
  client: Client
  texts: () => Texts
  config: Store<ChatConfig>
}

/** Creates the state shared by a chat's views. `close` unsubscribes from the client without closing it. */
export function createChat({ client, texts, ...given }: ChatOptions): ChatParts & { close: () => void } {
  const notices = createNotices()
  const attempt: Chat['attempt'] = async (action) => {
    try {
      await action()
      return true
    } catch (error) {
      notices.show(sentenceOf(texts(), error as { code: never }))
      return false
    }
  }
  const people = createPeople(client)
  const threads = createThreads(client)
  // Uploads and drafts belong to a tab, and survive its reload if the browser allows storage.
  const storage = storageOf('sessionStorage')
  const files = createFileStorage()
  const uploads = createUploads(client, storage && { storage, files })
  const drafts = createDrafts(client, storage)
  const today = createToday()
  // Without IndexedDB there is nothing to remove.
  void files.removeOld().catch(() => undefined)
  return {
    ...{ client, people, notices, threads, uploads, drafts, attempt, today },
    shownPerson: createValue<ShownPerson | undefined>(undefined),
    ...given,
    close() {
      for (const part of [people, threads, uploads, drafts, today]) part.close()
    },
  }
}

/** The start of the user's day, in milliseconds. Updated at midnight, and when a suspended page becomes visible. */
function createToday(): Store<number> & { close: () => void } {
  const startOfDay = () => new Date().setHours(0, 0, 0, 0)
  const { get, subscribe, set } = createValue(startOfDay())
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    set(startOfDay())
    clearTimeout(timer)
    timer = setTimeout(look, new Date().setHours(24, 0, 0, 0) - Date.now())
  }
  look()
  document.addEventListener('visibilitychange', look)
  return {
    ...{ get, subscribe },
    close() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    },
  }
}
