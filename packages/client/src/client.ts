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
  /** The app's client key, as given or from the first login. */
  readonly clientKey: Store<string | undefined>
  /** The user; undefined until the first login. */
  readonly me: Store<User | undefined>
  /** The user's rooms: pinned ones first, then by latest message. */
  readonly rooms: Store<readonly RoomInfo[]>
  /** Number of unread messages in all rooms. */
  readonly badge: Store<number>
  /** Returns the room with this ID: the same object each time. */
  room(id: string): Room
  /** Open invitations to rooms, newest first. */
  readonly invitations: Store<readonly Invitation[]>
  /** Joins the room. Resolves once `rooms` includes it. */
  acceptInvitation(roomID: string): Promise<void>
  declineInvitation(roomID: string): Promise<void>
  /** Presence of a user in a shared room, watched while it has a subscriber. Undefined until known. */
  presence(userID: string): Store<Presence | undefined>
  /** Every user call by its operationId (docs/openapi.json). Rejects with a ParleyError. */
  readonly api: UserCalls
  /** Listens for an event (docs/events.md). State is updated before listeners run. Returns an unsubscribe function. */
  on<E extends keyof ServerEvents>(event: E, listener: (payload: ServerEvents[E]) => void): () => void
  /** Reconnects at once, when `stopped` or `waiting`. */
  connect(): void
  /** Closes the client. Queued messages and the cache stay on the device. */
  close(): void
  /** Closes the client, and removes the cached state and unsent messages from the device. */
  logOut(): Promise<void>
}
