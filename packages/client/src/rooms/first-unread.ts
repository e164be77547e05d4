import type { RoomHistory } from './room-history.ts'
import { countsFor } from './unread-count.ts'

/** At most this many messages are loaded to find the first unread one. */
const most = 500

/**
 * Loads older messages until the first unread one is among them.
 * @param unread how many are unread: the last of them is not followed by another
 * @returns its ID; undefined where it is further back, or nothing is unread
 */
export async function loadFirstUnread(
  history: RoomHistory,
  unread: number,
  me: string | undefined,
): Promise<string | undefined> {
  const { timeline } = history
  if (unread === 0) return undefined
  for (;;) {
    const first = nthUnread(history, unread, me)
    if (first !== undefined || timeline.low <= 1 || timeline.high - timeline.low >= most) return first
    await history.whilePassing(() => history.loadOlder(100))
  }
}

/** The n-th unread message from the end. */
function nthUnread({ timeline }: RoomHistory, n: number, me: string | undefined): string | undefined {
  let found = 0
  for (let seq = timeline.high; seq >= timeline.low; seq--) {
    const message = timeline.at(seq)
    if (message && countsFor(message, me) && !timeline.isHidden(message._id)) found++
    if (message && found === n) return message._id
  }
  return undefined
}
