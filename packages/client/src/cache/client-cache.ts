import type { Room, User } from '../generated/types.ts'
import type { Page } from '../rooms/timeline.ts'

/** A user's state as of one moment: everything that happened up to `since` is in it. */
export interface CachedState {
  user: User
  clientKey: string
  /** Server time, milliseconds: where the replay of missed events begins. */
  since: number
  /** With the user's `unread`. */
  rooms: readonly Room[]
}

/**
 * Keeps what a cold start shows before there is a connection. None of its promises reject: a cache that fails, or cannot
 * be read, is an empty one.
 */
export interface ClientCache {
  read(): Promise<CachedState | undefined>
  write(state: CachedState): Promise<void>
  /** The latest messages of a room. */
  readRoom(roomID: string): Promise<Page | undefined>
  writeRoom(roomID: string, page: Page): Promise<void>
  clear(): Promise<void>
}
