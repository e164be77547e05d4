import type { RoomMessage } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'
import type { HistoryState } from './history-state.ts'

/** The messages of a room or of a thread, as far as they are loaded. Calls fail with a ParleyError. */
export interface Conversation {
  /** What is loaded, by seq, without what the user deleted for themselves; then what is on its way. */
  readonly messages: Store<readonly RoomMessage[]>
  readonly history: Store<HistoryState>
  loadOlder(limit?: number): Promise<void>
  /** After `open({ around })`. */
  loadNewer(limit?: number): Promise<void>
  /** After `open({ around })`: shows the latest messages instead. */
  toLatest(limit?: number): Promise<void>
}
