import type { UserCalls } from './calls/user-calls.ts'
import type { ConnectionState } from './connection/connection-state.ts'
import type { Files } from './files/files.ts'
import type { Invitation, ServerEvents, User } from './generated/types.ts'
import type { Presence } from './presence/presence-watch.ts'
import type { RoomInfo } from './rooms/listed-room.ts'
import type { Room } from './rooms/room.ts'
import type { Store } from './store.ts'

/** A user's connection to Parley, and the state of their chats. */
export interface Client extends Files {
  readonly connection: Store<ConnectionState>
  /** The app's client key: as given, or of the first login. */
  readonly clientKey: Store<string | undefined>
  /** The user; undefined until the first login. */
  readonly me: Store<User | undefined>
  /** The user's rooms: the pinned ones first, then by the latest message. */
  readonly rooms: Store<readonly RoomInfo[]>
  /** Unread messages in all rooms. */
  readonly badge: Store<number>
  /** A room by its ID: the same object each time. */
  room(id: string): Room
  /** Open invitations to rooms, the newest first. */
  readonly invitations: Store<readonly Invitation[]>
  /** Joins a room that the user is invited to; then `rooms` has it. */
  acceptInvitation(roomID: string): Promise<void>
  declineInvitation(roomID: string): Promise<void>
  /** Whether a user in a shared room is online: watched while there is a subscriber; undefined until known. */
  presence(userID: string): Store<Presence | undefined>
  /** Every call of the interface for users, by its operationId (docs/openapi.json). Fails with a ParleyError. */
  readonly api: UserCalls
  /** Hears an event (docs/events.md), after the state reflects it. Returns a function that ends it. */
  on<E extends keyof ServerEvents>(event: E, listener: (payload: ServerEvents[E]) => void): () => void
  /** Connects again after it stopped, or at once while it waits. */
  connect(): void
  /** Ends everything. Queued messages stay in the storage, and the cache keeps what it has. */
  close(): void
  /** Ends everything, and removes the cached state and the unsent messages from the device. */
  logOut(): Promise<void>
}
