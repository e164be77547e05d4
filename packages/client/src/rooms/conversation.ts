import type { RoomMessage } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'
import type { HistoryState } from './history-state.ts'

/** The messages of a room or of a thread, as far as they are loaded. Calls fail with a ParleyError. */
export interface Conversation {
  /** The loaded messages by seq, without those that the user deleted for themselves; then pending sends. */
  readonly messages: Store<readonly RoomMessage[]>
  readonly history: Store<HistoryState>
  loadOlder(limit?: number): Promise<void>
  /** After `open({ around })`. */
  loadNewer(limit?: number): Promise<void>
  /** After `open({ around })`: shows the latest messages instead. */
  toLatest(limit?: number): Promise<void>
}
