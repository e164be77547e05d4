import type { ConfigMark } from '@parley/db/apps/config-mark'
import type { Db } from '@parley/db/connect'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { appendStored } from '@parley/db/sending/append-stored'
import { appendToTails, findArrived } from '@parley/db/sending/tails'
import type { RoomAttempt } from './tail-attempts.ts'

/** What is to be appended to the room, if anything is. */
export function appendOf({ append }: RoomAttempt): TailAppend[] {
  return append ? [append] : []
}

/** Returns how many rooms were as they were read: of large messages, all or none. */
export function writeAppends(db: Db, appends: readonly TailAppend[], marks: readonly ConfigMark[]): Promise<number> {
  if (!appends[0]?.areStored) return appendToTails(db, appends, marks)
  return appendStored(db, appends, marks)
}

/** Which of the rooms have the messages that were to be appended: `most` of them, where that is known. */
export async function findWritten(
  db: Db,
  rooms: readonly RoomAttempt[],
  most: number | undefined,
): Promise<RoomAttempt[]> {
  if (rooms.length === 0 || most === 0) return []
  const first = ({ append }: RoomAttempt) => append?.messages[0]?.message
  const arrived = await findArrived(
    db,
    rooms.flatMap((room) => first(room) ?? []),
    most,
  )
  return rooms.filter((room) => arrived.has(first(room)?._id ?? ''))
}
