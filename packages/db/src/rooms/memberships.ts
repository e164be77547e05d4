import { clock } from '@parley/async/clock'
import { readInParts } from '@parley/async/in-parts'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { findTimePage, type TimePage } from '../find-page.ts'
import { key, ofRoom } from '../keys.ts'
import { ownUnflushed } from '../room-buffer/buffer.ts'
import type { BlockMark } from './blocked-members.ts'
import type { MembershipDoc, RoomDoc } from './documents.ts'

export const isMuted = { 'pref.muted': true } as const

export const membersIndex = { roomKey: 1, joinedAtMS: 1, _id: 1 } as const

export const membershipIndexes: IndexDescription[] = [
  { key: { userKey: 1 } },
  { key: membersIndex },
  { key: { roomKey: 1, readSeq: 1 } },
  { key: { userKey: 1, 'pref.muted': 1 }, partialFilterExpression: isMuted },
]

/** The read marker, and the number of messages after it that do not count as unread. */
export type ReadMarker = Pick<MembershipDoc, 'readSeq' | 'uncounted'>

/**
 * The effective read marker. Deleting all messages of a room writes only the room, so its `deletedUpToSeq` can be ahead
 * of a membership: everything up to it then counts as read, and `uncounted` has nothing after it. Writes of `uncounted`
 * start from this marker.
 */
export function currentMarker({ readSeq, uncounted }: ReadMarker, room: Pick<RoomDoc, 'deletedUpToSeq'>): ReadMarker {
  const deletedUpTo = room.deletedUpToSeq ?? 0
  return deletedUpTo > readSeq ? { readSeq: deletedUpTo, uncounted: 0 } : { readSeq, uncounted }
}

/** currentMarker as expressions for an update of memberships. */
export function currentMarkerIn(deletedUpToSeq: number): { readSeq: object; uncounted: object } {
  return {
    readSeq: { $max: ['$readSeq', deletedUpToSeq] },
    uncounted: { $cond: [{ $lt: ['$readSeq', deletedUpToSeq] }, 0, '$uncounted'] },
  }
}

/** The fields of a room that a member's unread count depends on. */
interface CountedRoom extends Pick<RoomDoc, 'seq' | 'deletedUpToSeq'> {
  /** Seqs of the member's own buffered messages. */
  own: readonly number[]
}

/** A member's exact unread count, without a query. Membership and room must come from one snapshot. */
export function unreadOf(membership: ReadMarker & Pick<MembershipDoc, 'flushedSeq'>, room: CountedRoom): number {
  const { readSeq, uncounted } = currentMarker(membership, room)
  return room.seq - readSeq - uncounted - ownUnflushed({ ...membership, readSeq }, room.own)
}

export type TracedMembership = Pick<
  MembershipDoc,
  '_id' | 'room' | 'roomKey' | 'user' | 'joinedAtMS' | 'readSeq' | 'deliveredSeq' | 'markerSetAtMS'
>

const tracedFields = {
  ...{ room: 1, roomKey: 1, user: 1, joinedAtMS: 1, readSeq: 1, deliveredSeq: 1, markerSetAtMS: 1 },
} satisfies Partial<Record<keyof TracedMembership, 1>>

export async function findTracedMemberships(
  db: Db,
  app: string,
  user: string,
  room?: string,
): Promise<TracedMembership[]> {
  const filter = room === undefined ? { userKey: key(app, user) } : { _id: key(app, room, user) }
  return db.memberships.find(filter).project<TracedMembership>(tracedFields).toArray()
}

export async function findJoined(db: Db, roomKey: string, page: TimePage): Promise<TracedMembership[]> {
  const by = { time: 'joinedAtMS', id: '_id' }
  return findTimePage(db.memberships, ofRoom(roomKey), by, page, { projection: tracedFields })
}

export async function findMembership(
  db: Db,
  app: string,
  room: string,
  user: string,
  session?: Session,
): Promise<MembershipDoc | null> {
  return db.memberships.findOne({ _id: key(app, room, user) }, { ...(session && { session }) })
}

/** The memberships with these keys, `key(app, room, user)`. */
export async function findMembershipsByKey(
  db: Db,
  keys: readonly string[],
  session?: Session,
): Promise<MembershipDoc[]> {
  if (keys.length === 0) return []
  return db.memberships.find({ _id: { $in: [...keys] } }, { ...(session && { session }) }).toArray()
}

export type MemberToPush = Pick<MembershipDoc, 'user' | 'joinedAtMS' | 'readSeq' | 'pref' | 'notify'> &
  BlockMark & {
    /** The member's notification setting for the message's thread. */
    thread?: MembershipDoc['notify']
  }
export const memberToPush = {
  _id: 0,
  user: 1,
  joinedAtMS: 1,
  readSeq: 1,
  blocked: 1,
  blockedUntilMS: 1,
  'pref.muted': 1,
  notify: 1,
} as const

/** Pages through all members of a room, longest-standing first, so in a stable order. */
export async function* pageMembers(db: Db, roomKey: string, perPage: number): AsyncGenerator<MemberToPush[]> {
  const members = db.memberships
    .find(ofRoom(roomKey))
    .sort({ joinedAtMS: 1, _id: 1 })
    .project<MemberToPush>(memberToPush)
    .batchSize(perPage)
  yield* readInParts(members, perPage)
}

export type Sender = Pick<MembershipDoc, '_id'> & BlockMark

/** Records that a member may have deleted messages of the room up to a seq for themselves. */
export async function recordHidden(db: Db, membership: string, seq: number, session: Session): Promise<void> {
  await db.memberships.updateOne({ _id: membership }, { $max: { hiddenUpToSeq: seq } }, { session })
}

/** Sets preferences of a member if `where` matches; null if it does not, or the user is not a member. */
export async function updatePref(
  db: Db,
  { app, room, user }: { app: string; room: string; user: string },
  change: Partial<RoomPref>,
  session: Session,
  where?: typeof isMuted,
): Promise<MembershipDoc | null> {
  const _id = key(app, room, user)
  const fields = Object.entries(change).map(([name, value]) => [
    `pref.${name}`,
    name === 'tagColors' ? JSON.stringify(value) : value,
  ])
  if (fields.length === 0) return db.memberships.findOne({ _id }, { session })
  const update = { $set: Object.fromEntries(fields) }
  return db.memberships.findOneAndUpdate({ _id, ...where }, update, { returnDocument: 'after', session })
}

/**
 * Sets a member's reported read marker, in the transaction that counted `uncounted`. Writes an unchanged marker too, so
 * that concurrent reports conflict.
 * @param members the memberships of rooms, or of threads
 */
export async function setReadMarker(
  members: Db['memberships'],
  membership: string,
  { readSeq, uncounted }: ReadMarker,
  session: Session,
): Promise<void> {
  await members.updateOne(
    { _id: membership },
    { $set: { readSeq, uncounted, markerSetAtMS: clock.now() } },
    { session },
  )
}

/** Sets `uncounted`, with the marker that it was counted from. Does not record a report. */
export async function setUncounted(
  members: Db['memberships'],
  membership: string,
  { readSeq, uncounted }: ReadMarker,
  session: Session,
): Promise<void> {
  await members.updateOne({ _id: membership }, { $set: { readSeq, uncounted } }, { session })
}
