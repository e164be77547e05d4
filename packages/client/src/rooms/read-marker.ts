import { asParleyError, isTransient } from '../parley-error.ts'
import { createBackoff } from '../pauses.ts'
import type { RoomList } from './room-list.ts'
import type { Timeline } from './timeline.ts'
import { countsFor } from './unread-count.ts'

export interface ReadMarkerOptions {
  roomID: string
  timeline: Timeline
  rooms: Pick<RoomList, 'setUnread' | 'changed'>
  me: () => string | undefined
  /** Reports a message as read; fails while there is no connection. */
  report: (messageID: string) => Promise<unknown>
  isConnected: () => boolean
}

/** Marks within this time share one report. */
const batchMS = 250

/** The user's read marker in a room or thread. The unread count changes at once; reports are batched. */
export class ReadMarker {
  readonly #options: ReadMarkerOptions
  #markedSeq = 0
  /** The marker to report. */
  #due: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #backoff = createBackoff(1_000, 30_000)

  constructor(options: ReadMarkerOptions) {
    this.#options = options
  }

  /** The user has read up to this message. */
  mark(messageID: string): void {
    const seq = this.#seqOf(messageID)
    if (seq !== undefined && seq <= this.#markedSeq) return
    this.#markedSeq = seq ?? this.#markedSeq
    this.#due = messageID
    this.#countAfter(seq)
    this.#flushIn(batchMS)
  }

  /** The user has read up to this message on one of their devices, maybe this one. */
  heard(messageID: string): void {
    const seq = this.#seqOf(messageID)
    // Replay repeats markers of other devices, but not this device's later ones.
    if (seq !== undefined && seq < this.#markedSeq) return
    this.#markedSeq = seq ?? this.#markedSeq
    if (this.#due === undefined && !this.#countAfter(seq)) this.#options.rooms.changed(this.#options.roomID)
  }

  /** Reports the due marker, retrying transient errors. Without a connection or token, it stays due until a login. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const messageID = this.#due
    if (messageID === undefined) return
    let isReported = true
    try {
      await this.#options.report(messageID)
      this.#backoff.reset()
    } catch (error) {
      // The connection ends with its token, and another login follows.
      if (asParleyError(error).code === 'INVALID_TOKEN') return
      if (isTransient(error)) {
        if (this.#options.isConnected()) this.#flushIn(this.#backoff.next(error))
        return
      }
      isReported = false
    }
    // A marker set meanwhile is counted after its own report.
    if (this.#due !== messageID) return
    this.#due = undefined
    const seq = this.#seqOf(messageID)
    // A stale count may have arrived meanwhile. Another device may have read further.
    const furthest = seq === undefined ? undefined : Math.max(seq, this.#markedSeq)
    if (!isReported || !this.#countAfter(furthest)) this.#options.rooms.changed(this.#options.roomID)
  }

  close(): void {
    clearTimeout(this.#timer)
    void this.flush()
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), ms)
  }

  /** Undefined for a message that is not loaded. */
  #seqOf(messageID: string): number | undefined {
    return this.#options.timeline.get(messageID)?.seq
  }

  /** Counts the unread messages after the seq. Returns false if not all of them are loaded. */
  #countAfter(read: number | undefined): boolean {
    const { roomID, timeline, rooms, me } = this.#options
    if (read === undefined || !timeline.at(read) || !timeline.isFollowing || timeline.hasGap()) return false
    let unread = 0
    for (let seq = read + 1; seq <= timeline.high; seq++) {
      const later = timeline.at(seq)
      if (later && countsFor(later, me()) && !timeline.isHidden(later._id)) unread++
    }
    rooms.setUnread(roomID, unread, timeline.high)
    return true
  }
}
