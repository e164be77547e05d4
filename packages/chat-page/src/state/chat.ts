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

/** A person whose card is shown, and a message of theirs to report there. */
export interface ShownPerson {
  user: string
  message?: RoomMessage | undefined
}

/** State shared by all parts of the page or the React kit. */
export interface Chat {
  client: Client
  texts: Texts
  /** BCP 47 tag, for dates and numbers. */
  lang: string
  /** The page's direction; messages have their own. */
  direction: 'ltr' | 'rtl'
  people: People
  /** The start of the user's day. */
  today: Store<number>
  notices: Notices
  /** The app's settings of the page. */
  config: Store<ChatConfig>
  /** The user whose card is shown. */
  shownPerson: Value<ShownPerson | undefined>
  /** Opens a room; undefined if the app does not support it. */
  openRoom: ((roomID: string) => void) | undefined
  threads: UserThreads
  drafts: Drafts
  /** Closes the embedded page; undefined without a close button. */
  onClose?: (() => void) | undefined
  /** Uploads, labelled with the ID of their room or thread. */
  uploads: Uploads
  /** Origins of pictures to show without a click. */
  imageOrigins: readonly string[]
  /** Parts replaced by the app. */
  slots: Slots
  /** Whether the views are part of an app's page, which has its own h1. */
  isPart: boolean
  /** Runs an action, and shows a notice if it fails. Resolves with its success. */
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

/** The sentence for an error's code. */
export function sentenceOf(texts: Texts, error: Pick<ParleyError, 'code'> | undefined): string {
  const sentences: Record<string, string> = texts.errors
  return sentences[error?.code ?? ''] ?? texts.errors.other
}
