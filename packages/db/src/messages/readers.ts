import type { Filter } from 'mongodb'
import type { Db } from '../db.ts'
import { ofRoom } from '../keys.ts'
import type { MembershipDoc } from '../rooms/documents.ts'
import { findUsersInRooms } from '../rooms/rooms-of-users.ts'
import type { MessageDoc } from './documents.ts'

/**
 * A reader of a message. `markerSetAtMS` is the time of the reader's latest report, for this message or a later one.
 */
export type MessageReader = Pick<MembershipDoc, '_id' | 'user' | 'joinedAtMS' | 'markerSetAtMS'>

type Sent = Pick<MessageDoc, 'app' | 'room' | 'roomKey' | 'seq' | 'sender' | 'createdAtMS' | 'threadOf'>

/**
 * The members (for a thread, its users) with a read marker at or after the message, longest-standing first. At most
 * `limit` are examined. Omits the sender, and members who joined later and have reported nothing since: they start with
 * it read.
 * @param reportedFromMS excludes members with an earlier last report
 */
export async function findReaders(
  db: Db,
  message: Sent,
  { limit, reportedFromMS }: { limit: number; reportedFromMS?: number },
): Promise<MessageReader[]> {
  const { app, room, sender, createdAtMS, threadOf } = message
  const found = await membersOf(db, threadOf)
    .find(hasReached(message, reportedFromMS))
    .project<MessageReader>({ user: 1, joinedAtMS: 1, markerSetAtMS: 1 })
    .limit(limit)
    .toArray()
  const here =
    threadOf === undefined
      ? undefined
      : await findUsersInRooms(
          db,
          app,
          found.map(({ user }) => user),
          [room],
        )
  return found
    .filter(({ user }) => here === undefined || here.has(user))
    .filter(({ user, joinedAtMS, markerSetAtMS }) => {
      return user !== sender && (joinedAtMS <= createdAtMS || markerSetAtMS !== undefined)
    })
    .sort((a, b) => a.joinedAtMS - b.joinedAtMS || (a._id < b._id ? -1 : 1))
}

/** The number of members with a marker at or after the message, including the sender and later members. */
export async function countReaders(
  db: Db,
  message: Sent,
  { reportedFromMS }: { reportedFromMS?: number },
): Promise<number> {
  return membersOf(db, message.threadOf).countDocuments(hasReached(message, reportedFromMS), {
    hint: { roomKey: 1, readSeq: 1 },
  })
}

function hasReached({ roomKey, seq }: Sent, reportedFromMS: number | undefined): Filter<MembershipDoc> {
  const hasReported = reportedFromMS !== undefined && { markerSetAtMS: { $gte: reportedFromMS } }
  return { ...ofRoom(roomKey), readSeq: { $gte: seq }, ...hasReported }
}

/** The possible readers of a message: the members of the room, or the users of the thread. */
function membersOf(db: Db, threadOf: string | undefined): Db['memberships'] {
  return threadOf === undefined ? db.memberships : db.threadMembers
}
