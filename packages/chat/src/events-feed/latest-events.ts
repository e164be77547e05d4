import type { FeedPosition } from './cursor.ts'
import type { FeedEntry } from './feed-entry.ts'

const mostEntries = 1_000

/** The latest events of an app in memory: all of them after `from`. */
export interface LatestEvents {
  readonly from: FeedPosition
  add(entry: FeedEntry): void
  after(seq: number): readonly FeedEntry[]
  /** Begins anew: all events after a place. */
  reset(from: FeedPosition): void
}

/** @param mostBytes how many bytes of events it may keep now */
export function createLatestEvents(mostBytes: () => number): LatestEvents {
  let entries: FeedEntry[] = []
  let bytes = 0
  let from: FeedPosition = { seq: 0, timeMS: 0 }
  return {
    get from() {
      return from
    },
    add(entry) {
      entries.push(entry)
      bytes += entry.json.length
      while (entries.length > mostEntries || bytes > mostBytes()) {
        const gone = entries.shift()
        if (!gone) break
        bytes -= gone.json.length
        from = { seq: gone.seq, timeMS: gone.timeMS }
      }
    },
    after: (seq) => entries.slice(firstAfter(entries, seq)),
    reset(place) {
      entries = []
      bytes = 0
      from = place
    },
  }
}

/** The index of the first entry after a place: entries are in order. */
function firstAfter(entries: readonly FeedEntry[], seq: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.seq ?? 0) > seq) high = middle
    else low = middle + 1
  }
  return low
}
