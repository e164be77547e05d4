import { clock } from '@parley/async/clock'
import { mostAtOneTime } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/rooms'

/** After this many bytes of messages the time advances, so that a page of history can hold all messages of a time. */
const mostBytes = 1024 * 1024

/**
 * Makes the function that returns the times of a room's new messages in one transaction, given the size of each. They are
 * later than any time that the room has given before, and transactions on a room exclude each other, so a reader who pages
 * by time can never have passed them. At most 100 messages share a time, since no page may end between them. Writing that
 * many takes longer than a millisecond, so the room's clock does not run ahead of the real time.
 */
export function messageTimes(room: Pick<RoomDoc, 'clockMS'>): (bytes: number) => number {
  let timeMS = Math.max(clock.now(), room.clockMS + 1)
  let [count, sum] = [0, 0]
  return (bytes) => {
    if (count === mostAtOneTime || (count > 0 && sum + bytes > mostBytes)) {
      timeMS++
      count = sum = 0
    }
    count++
    sum += bytes
    return timeMS
  }
}
