import type { Room, User } from '../generated/types.ts'
import type { Page } from '../rooms/timeline.ts'

/** A snapshot of a user's state, complete up to `since`. */
export interface CachedState {
  user: User
  clientKey: string
  /** Server time in milliseconds, from which missed events are replayed. */
  since: number
  /** Each with the user's `unread`. */
  rooms: readonly Room[]
}

/**
 * Stores what a cold start shows before it is connected. Its promises never reject: a cache that fails or is unreadable
 * counts as empty. The client waits 2 seconds for it at most.
 */
export interface ClientCache {
  read(): Promise<CachedState | undefined>
  write(state: CachedState): Promise<void>
  /** The latest messages of a room. */
  readRoom(roomID: string): Promise<Page | undefined>
  writeRoom(roomID: string, page: Page): Promise<void>
  clear(): Promise<void>
}
