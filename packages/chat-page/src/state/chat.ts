import type { Client, ParleyError, RoomMessage, Store } from '@parley/client'
import type { UserThreads } from '@parley/client/threads'
import type { Uploads } from '@parley/client/uploads'
import { createContext } from 'preact'
import { useSyncExternalStore } from 'preact/compat'
import { useContext } from 'preact/hooks'
import type { Drafts } from '../composer/drafts.ts'
import type { Slots } from '../kit/types.ts'
import type { Texts } from '../texts/en.ts'
import type { ChatConfig } from './chat-config.ts'
import type { Notices } from './notices.ts'
import type { People } from './people.ts'
import type { Value } from './value.ts'

/** A person whose card is shown, and a message of theirs that may be reported there. */
export interface ShownPerson {
  user: string
  message?: RoomMessage | undefined
}

/** Shared by every part of the page, or of the kit for React. */
export interface Chat {
  client: Client
  texts: Texts
  /** BCP 47 tag, for dates and numbers. */
  lang: string
  /** Of the page; a message has its own. */
  direction: 'ltr' | 'rtl'
  people: People
  /** The start of the user's day. */
  today: Store<number>
  notices: Notices
  /** The app's settings of the page. */
  config: Store<ChatConfig>
  /** The user whose card is shown. */
  shownPerson: Value<ShownPerson | undefined>
  /** Shows a room; undefined where nothing can. */
  openRoom: ((roomID: string) => void) | undefined
  threads: UserThreads
  drafts: Drafts
  /** Where the page around has the user close this one. */
  onClose?: (() => void) | undefined
  /** For rooms and threads, by their IDs. */
  uploads: Uploads
  /** Origins of pictures that are shown without a click. */
  imageOrigins: readonly string[]
  /** Parts that the app draws itself. */
  slots: Slots
  /** The views are parts of a page of the app, which has the first heading. */
  isPart: boolean
  /** Does it, and says calmly when it fails. */
  attempt: (action: () => Promise<unknown>) => Promise<boolean>
}

export const ChatContext = createContext<Chat | undefined>(undefined)

export function useChat(): Chat {
  const chat = useContext(ChatContext)
  if (!chat) throw new Error('outside of the page')
  return chat
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}

/** A sentence for an error, by its code. */
export function sentenceOf(texts: Texts, error: Pick<ParleyError, 'code'> | undefined): string {
  const sentences: Record<string, string> = texts.errors
  return sentences[error?.code ?? ''] ?? texts.errors.other
}
