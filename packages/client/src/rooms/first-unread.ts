import type { RoomHistory } from './room-history.ts'
import { countsFor } from './unread-count.ts'

/** At most this many messages are loaded to find the first unread one. */
const most = 500

/** The number of unread messages up to a seq. They are the latest ones from other senders. */
export interface Unread {
  count: number
  upToSeq: number
}

/** Loads older messages up to the first unread one. Returns its ID; undefined without one, or if it is too far back. */
export async function loadFirstUnread(
  history: RoomHistory,
  unread: Unread,
  me: string | undefined,
): Promise<string | undefined> {
  const { timeline } = history
  if (unread.count === 0) return undefined
  for (;;) {
    const first = firstOf(history, unread, me)
    if (first !== undefined || timeline.low <= 1 || timeline.high - timeline.low >= most) return first
    await history.retrying(() => history.loadOlder(100))
  }
}

/** Finds the first unread message by counting back from the latest. */
function firstOf({ timeline }: RoomHistory, { count, upToSeq }: Unread, me: string | undefined): string | undefined {
  let found = 0
  for (let seq = Math.min(upToSeq, timeline.high); seq >= timeline.low; seq--) {
    const message = timeline.at(seq)
    if (message && countsFor(message, me) && !timeline.isHidden(message._id)) found++
    if (message && found === count) return message._id
  }
  return undefined
}
