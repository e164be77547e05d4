import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { countInBuckets } from '../message-buckets/find-messages.ts'
import { ownUnflushed } from '../room-buffer/buffer.ts'
import type { MembershipDoc, RoomDoc } from '../rooms/documents.ts'
import { currentMarker, unreadOf } from '../rooms/memberships.ts'
import { countUncountedAfter, sumOf, type Uncounted } from './uncounted.ts'

/** The terms of a member's unread count in a room: unread = seq − readSeq − uncounted. */
export interface UnreadSum {
  seq: number
  /** The effective read marker. */
  readSeq: number
  /** Stored number of messages after the marker that do not count, plus own unflushed ones. */
  uncounted: number
  unread: number
}

/** The unread count computed from the messages. */
interface CountedSum extends Uncounted {
  unread: number
}

export type MembershipToSum = Pick<
  MembershipDoc,
  '_id' | 'app' | 'room' | 'roomKey' | 'user' | 'readSeq' | 'uncounted' | 'flushedSeq'
>

/** A room with the seqs and senders of its buffered messages. */
export type RoomToSum = Pick<RoomDoc, '_id' | 'seq' | 'deletedUpToSeq' | 'buffer' | 'flushedSeq'>

/** MongoDB's default of 101 documents in the first batch would need a second round trip. */
const perReply = 5_000

/** Rooms by key, without deleted ones, for their members' sums. */
export async function findRoomsToSum(
  db: Db,
  keys: readonly string[],
  session: Session,
): Promise<Map<string, RoomToSum>> {
  if (keys.length === 0) return new Map()
  const rooms = await db.rooms
    .find({ _id: { $in: [...keys] }, deletedAt: { $exists: false } }, { session, batchSize: perReply })
    .project<RoomToSum>({ seq: 1, deletedUpToSeq: 1, flushedSeq: 1, 'buffer.seq': 1, 'buffer.sender': 1 })
    .toArray()
  return new Map(rooms.map((room) => [room._id, room]))
}

export async function findMembershipsToSum(
  db: Db,
  app: string,
  user: string,
  session: Session,
): Promise<MembershipToSum[]> {
  return db.memberships
    .find({ userKey: key(app, user) }, { session })
    .project<MembershipToSum>({ app: 1, room: 1, roomKey: 1, user: 1, readSeq: 1, uncounted: 1, flushedSeq: 1 })
    .toArray()
}

/** The stored unread count. The membership and the room must have been read in one snapshot or transaction. */
export function sumUnread(membership: MembershipToSum, room: RoomToSum): UnreadSum {
  const { readSeq, uncounted } = currentMarker(membership, room)
  const own = ownInBuffer(membership.user, room)
  return {
    seq: room.seq,
    readSeq,
    uncounted: uncounted + ownUnflushed({ ...membership, readSeq }, own),
    unread: unreadOf(membership, { ...room, own }),
  }
}

/** The unread count from the messages, in the snapshot of membership and room. Reads an index entry per message. */
export async function countUnread(
  db: Db,
  membership: MembershipToSum,
  room: RoomToSum,
  session: Session,
): Promise<CountedSum> {
  const { readSeq } = currentMarker(membership, room)
  if (readSeq >= room.seq) return { own: 0, deleted: 0, hidden: 0, unread: 0 }
  const { buffer = [], flushedSeq = 0 } = room
  const unflushed = buffer.map(({ seq }) => seq).filter((seq) => seq > flushedSeq)
  const flushed = { roomKey: room._id, seq: { $gt: readSeq, $lte: room.seq, $nin: unflushed } }
  const inBuckets = await countInBuckets(
    db,
    room._id,
    { after: readSeq, upTo: room.seq },
    { except: unflushed },
    session,
  )
  const apart = await db.messages.countDocuments(flushed, { session })
  const messages = unflushed.filter((seq) => seq > readSeq).length + inBuckets + apart
  const uncounted = await countParts(db, membership, room, session)
  return { ...uncounted, unread: messages - sumOf(uncounted) }
}

/** The messages after the marker that do not count, by reason, including own unflushed ones. */
export async function countParts(
  db: Db,
  membership: MembershipToSum,
  room: RoomToSum,
  session: Session,
): Promise<Uncounted> {
  const { readSeq } = currentMarker(membership, room)
  const own = ownInBuffer(membership.user, room)
  const counted = await countUncountedAfter(db, membership, readSeq, room.seq, own, session)
  return { ...counted, own: counted.own + ownUnflushed({ ...membership, readSeq }, own) }
}

/** Seqs of the user's buffered messages in a room. */
export function ownInBuffer(user: string, { buffer = [] }: Pick<RoomDoc, 'buffer'>): number[] {
  return buffer.filter(({ sender }) => sender === user).map(({ seq }) => seq)
}
