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

/** Provides the client to the components below, and to the hooks of `@parley/client/react`. */
export const ParleyProvider: (props: ParleyProviderProps) => ReactNode = KitProvider

/** The user's rooms and invitations, with a search. */
export const RoomList: (props: RoomListProps) => ReactNode = RoomListPart

/** A room: header, messages and composer. */
export const Conversation: (props: ConversationProps) => ReactNode = ConversationPart

/** The thread about a message. */
export const Thread: (props: ThreadProps) => ReactNode = ThreadPart

/** A composer, separate from its conversation. */
export const Composer: (props: ComposerProps) => ReactNode = ComposerPart
