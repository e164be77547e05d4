import type { Client, ClientOptions, Room, RoomInfo, RoomMessage, Thread as ThreadOfRoom } from '@parley/client'
import type { ComponentType, ReactNode } from 'react'

/** The props of each part that you may draw yourself. */
export interface SlotProps {
  /** The head of the list of rooms. */
  roomListHead: { title: string }
  /** A row of the list, inside of its button. */
  roomRow: { room: RoomInfo; isOpen: boolean }
  /** The head of an open room. */
  roomHead: { room: RoomInfo | undefined }
  /** The head of a thread. */
  threadHead: { room: Room; thread: ThreadOfRoom }
  /** The picture of a person or a room. */
  avatar: { id: string; name: string; url: string | undefined; isSmall: boolean }
  /** A message with its sender, reactions and thread; not the lines of the system. */
  message: { room: Room; message: RoomMessage }
  /** The content of a message, inside of its bubble. */
  messageBody: { message: RoomMessage }
  /** Where a room has no messages yet. */
  emptyRoom: { room: Room }
  /** Where to write. */
  composer: { room: Room; thread: ThreadOfRoom | undefined }
}

/** Your components in the place of the kit's; each gets the kit's as its children. */
export type Slots = { [Name in keyof SlotProps]?: ComponentType<SlotProps[Name] & { children?: ReactNode }> }

/** A client of yours, or the options of one that lives as long as the component: another `id` makes another client. */
export type ParleyProviderProps = ({ client: Client } | { options: ClientOptions; id: string }) & {
  /** BCP 47 tag; by default the browser's language. Arabic runs from right to left. */
  lang?: string | undefined
  /** Texts in that language in the place of the kit's (docs/reference/chat-page.md#texts). Keep the object. */
  texts?: object | undefined
  /** By default as the system's. */
  theme?: 'light' | 'dark' | 'auto' | undefined
  /** Origins of pictures that are shown without a click, besides Parley's and the page's own. Keep the array. */
  imageOrigins?: readonly string[] | undefined
  /** Keep the object: another one draws everything again. */
  slots?: Slots | undefined
  /** The user wants to write to a person: show the room. Without it, the person's card has no such button. */
  onOpenRoom?: ((roomID: string) => void) | undefined
  children?: ReactNode
}

/** A place in a room: a thread, or a message. */
export interface Place {
  thread?: string | undefined
  message?: string | undefined
}

export interface RoomListProps {
  /** By default "Chats", in the user's language. */
  title?: string | undefined
  /** ID of the room that is open. */
  selected?: string | undefined
  /** The user chose a room, or a place in it: by the search, or among their threads. */
  onSelect: (roomID: string, place?: Place) => void
  /** Further buttons of the head. */
  actions?: ReactNode
}

export interface ConversationProps {
  /** ID of the room. */
  room: string
  /** Where to go: one object for each wish. */
  goTo?: Place | undefined
  /** Shows a button back, for narrow screens. */
  onBack?: (() => void) | undefined
  /** Opens the thread about a message elsewhere, as in a `<Thread>`. Without it, it opens inside. */
  onThread?: ((messageID: string) => void) | undefined
  /** `false` where a `<Composer>` stands elsewhere. */
  composer?: boolean | undefined
}

export interface ThreadProps {
  /** ID of the room. */
  room: string
  /** ID of the message that the thread is about. */
  message: string
  /** Shows a button that closes it. */
  onClose?: (() => void) | undefined
  /** `false` where a `<Composer>` stands elsewhere. */
  composer?: boolean | undefined
}

export interface ComposerProps {
  /** ID of the room. */
  room: string
  /** ID of the message whose thread it writes in. */
  thread?: string | undefined
}
