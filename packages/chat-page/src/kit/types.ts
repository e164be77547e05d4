import type { Client, ClientOptions, Room, RoomInfo, RoomMessage, Thread as ThreadOfRoom } from '@parley/client'
import type { ComponentType, ReactNode } from 'react'

/** The props of each part that you can replace. */
export interface SlotProps {
  /** The header of the room list. */
  roomListHead: { title: string }
  /** A row of the list, inside its button. */
  roomRow: { room: RoomInfo; isOpen: boolean }
  /** The header of an open room. */
  roomHead: { room: RoomInfo | undefined }
  /** The header of a thread. */
  threadHead: { room: Room; thread: ThreadOfRoom }
  /** The picture of a person or a room. */
  avatar: { id: string; name: string; url: string | undefined; isSmall: boolean }
  /** A message with its sender, reactions and thread. System messages have no slot. */
  message: { room: Room; message: RoomMessage }
  /** The content of a message, inside its bubble. */
  messageBody: { message: RoomMessage }
  /** Shown in a room without messages. */
  emptyRoom: { room: Room }
  /** The composer. */
  composer: { room: Room; thread: ThreadOfRoom | undefined }
}

/** Your components in place of the kit's. Each gets the kit's component as its children. */
export type Slots = { [Name in keyof SlotProps]?: ComponentType<SlotProps[Name] & { children?: ReactNode }> }

/** Your own client, or options for one that lives as long as the component. A new `id` replaces it. */
export type ParleyProviderProps = ({ client: Client } | { options: ClientOptions; id: string }) & {
  /** BCP 47 tag; by default the browser's language. Arabic is laid out right to left. */
  lang?: string | undefined
  /** Replaces texts of that language (docs/reference/chat-page.md#texts). Pass the same object on each render. */
  texts?: object | undefined
  /** The system's theme by default. */
  theme?: 'light' | 'dark' | 'auto' | undefined
  /**
   * Origins of pictures to show without a click, besides Parley's and the page's own. Pass the same array on each
   * render.
   */
  imageOrigins?: readonly string[] | undefined
  /** Pass the same object on each render: a new one rerenders everything. */
  slots?: Slots | undefined
  /** Called when the user wants to message a person: show the room. Without it, a person's card has no such button. */
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
  /** ID of the open room. */
  selected?: string | undefined
  /** Called when the user chooses a room, or a place in it from the search or their threads. */
  onSelect: (roomID: string, place?: Place) => void
  /** Additional buttons in the header. */
  actions?: ReactNode
}

export interface ConversationProps {
  /** ID of the room. */
  room: string
  /** Where to go. Pass a new object for each request. */
  goTo?: Place | undefined
  /** Shows a back button, for narrow screens. */
  onBack?: (() => void) | undefined
  /** Opens a message's thread elsewhere, such as in a `<Thread>`. Without it, threads open inside. */
  onThread?: ((messageID: string) => void) | undefined
  /** `false` if a `<Composer>` is elsewhere. */
  composer?: boolean | undefined
}

export interface ThreadProps {
  /** ID of the room. */
  room: string
  /** ID of the message that the thread is about. */
  message: string
  /** Shows a close button. */
  onClose?: (() => void) | undefined
  /** `false` if a `<Composer>` is elsewhere. */
  composer?: boolean | undefined
}

export interface ComposerProps {
  /** ID of the room. */
  room: string
  /** ID of the root message of the thread to write in. */
  thread?: string | undefined
}
