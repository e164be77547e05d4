import type { ReactNode } from 'react'
import { ComposerPart, ConversationPart, RoomListPart, ThreadPart } from './parts.tsx'
import { KitProvider } from './provider.tsx'
import type { ComposerProps, ConversationProps, ParleyProviderProps, RoomListProps, ThreadProps } from './types.ts'

export type {
  ComposerProps,
  ConversationProps,
  ParleyProviderProps,
  Place,
  RoomListProps,
  SlotProps,
  Slots,
  ThreadProps,
} from './types.ts'

/** Gives the parts below it, and the hooks of `@parley/client/react`, their client. */
export const ParleyProvider: (props: ParleyProviderProps) => ReactNode = KitProvider

/** The user's rooms, their invitations, and a search. */
export const RoomList: (props: RoomListProps) => ReactNode = RoomListPart

/** A room: its head, its messages, and where to write. */
export const Conversation: (props: ConversationProps) => ReactNode = ConversationPart

/** The thread about a message. */
export const Thread: (props: ThreadProps) => ReactNode = ThreadPart

/** Where to write, apart from its conversation. */
export const Composer: (props: ComposerProps) => ReactNode = ComposerPart
