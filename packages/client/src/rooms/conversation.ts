import type { RoomMessage } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'
import type { HistoryState } from './history-state.ts'

/** The loaded messages of a room or thread. Calls reject with a ParleyError. */
export interface Conversation {
  /** Loaded messages by seq, without those that the user deleted for themselves; then pending sends. */
  readonly messages: Store<readonly RoomMessage[]>
  readonly history: Store<HistoryState>
  loadOlder(limit?: number): Promise<void>
  /** Loads more after `open({ around })`. */
  loadNewer(limit?: number): Promise<void>
  /** Returns to the latest messages after `open({ around })`. */
  toLatest(limit?: number): Promise<void>
}
