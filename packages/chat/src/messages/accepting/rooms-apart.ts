import type { RoomAttempt } from './tail-attempts.ts'

/** Large messages in one transaction: while MongoDB writes them, the next are made. */
const storedAtOnce = 16

/**
 * Rooms with what no tail takes are written several together, apart from the others, which do not wait for them; when one
 * of them had changed, each by itself. What is not returned is written here.
 */
export function goingApart(rooms: readonly RoomAttempt[], hasFailed: boolean): RoomAttempt[][] {
  const written = rooms.filter(({ append }) => append !== undefined)
  const stored = written.filter(({ append }) => append?.areStored)
  const groups = groupsOf(stored, hasFailed ? 1 : storedAtOnce)
  return groups.length === 1 && stored.length === written.length ? [] : groups
}

/** Groups of rooms with at least so many messages, but for the last. */
function groupsOf(rooms: readonly RoomAttempt[], most: number): RoomAttempt[][] {
  const groups: RoomAttempt[][] = []
  let messages = most
  for (const room of rooms) {
    if (messages >= most) {
      groups.push([])
      messages = 0
    }
    groups.at(-1)?.push(room)
    messages += room.append?.messages.length ?? 0
  }
  return groups
}
