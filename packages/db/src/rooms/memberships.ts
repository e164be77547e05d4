import { clock } from '@parley/async/clock'
import { readInParts } from '@parley/async/in-parts'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key, ofRoom } from '../keys.ts'
import { inTimePage, type TimePage } from '../page-place.ts'
import { ownUnflushed } from '../room-buffer/buffer.ts'
import type { BlockMark } from './blocked-members.ts'
import type { MembershipDoc, RoomDoc } from './documents.ts'

/** The condition that a member has muted the room. */
export const isMuted = { 'pref.muted': true } as const

/** The members of a room, the longest-standing first. */
export const membersIndex = { roomKey: 1, joinedAtMS: 1, _id: 1 } as const

export const membershipIndexes: IndexDescription[] = [
  { key: { userKey: 1 } },
  { key: membersIndex },
  { key: { roomKey: 1, readSeq: 1 } },
  { key: { userKey: 1, 'pref.muted': 1 }, partialFilterExpression: isMuted },
]

/** The read marker, and how many of the messages after it do not count as unread. */
export type ReadMarker = Pick<MembershipDoc, 'readSeq' | 'uncounted'>

/**
 * The current read marker. Deleting all messages of a room writes only the room, so the room's mark can be ahead of a membership:
 * then everything up to the mark counts as read, and nothing after it is in `uncounted` yet. Writes of `uncounted` start from
 * this.
 */
export function currentMarker({ readSeq, uncounted }: ReadMarker, room: Pick<RoomDoc, 'deletedUpToSeq'>): ReadMarker {
  const deletedUpTo = room.deletedUpToSeq ?? 0
  return deletedUpTo > readSeq ? { readSeq: deletedUpTo, uncounted: 0 } : { readSeq, uncounted }
}

/** The same as expressions for an update of memberships. */
export function currentMarkerIn(deletedUpToSeq: number): { readSeq: object; uncounted: object } {
  return {
    readSeq: { $max: ['$readSeq', deletedUpToSeq] },
    uncounted: { $cond: [{ $lt: ['$readSeq', deletedUpToSeq] }, 0, '$uncounted'] },
  }
}

/** The parts of a room that decide a member's unread count. */
export interface CountedRoom extends Pick<RoomDoc, 'seq' | 'deletedUpToSeq'> {
  /** Seqs of the member's own messages in the room's buffer. */
  own: readonly number[]
}

/**
 * Unread messages of a member: exact, without counting. The membership and the room must come from one snapshot or transaction.
 */
export function unreadOf(membership: ReadMarker & Pick<MembershipDoc, 'flushedSeq'>, room: CountedRoom): number {
  const { readSeq, uncounted } = currentMarker(membership, room)
  return room.seq - readSeq - uncounted - ownUnflushed({ ...membership, readSeq }, room.own)
}

/** The parts of a membership that a timeline shows. */
export type TracedMembership = Pick<
  MembershipDoc,
  '_id' | 'room' | 'roomKey' | 'user' | 'joinedAtMS' | 'readSeq' | 'deliveredSeq' | 'markerSetAtMS'
>

const tracedFields = {
  ...{ room: 1, roomKey: 1, user: 1, joinedAtMS: 1, readSeq: 1, deliveredSeq: 1, markerSetAtMS: 1 },
} satisfies Partial<Record<keyof TracedMembership, 1>>

/** The memberships of a user, of one room or of all, in no order. */
export async function findTracedMemberships(
  db: Db,
  app: string,
  user: string,
  room?: string,
): Promise<TracedMembership[]> {
  const whose = room === undefined ? { userKey: key(app, user) } : { _id: key(app, room, user) }
  return db.memberships.find(whose).project<TracedMembership>(tracedFields).toArray()
}

/** A page of the members of a room, the latest joined first. */
export async function findJoined(db: Db, roomKey: string, page: TimePage): Promise<TracedMembership[]> {
  return db.memberships
    .find({ ...ofRoom(roomKey), ...inTimePage(page, { time: 'joinedAtMS', id: '_id' }) })
    .project<TracedMembership>(tracedFields)
    .sort({ joinedAtMS: -1, _id: -1 })
    .limit(page.limit)
    .toArray()
}

export async function findMembership(
  db: Db,
  app: string,
  room: string,
  user: string,
  session?: ClientSession,
): Promise<MembershipDoc | null> {
  return db.memberships.findOne({ _id: key(app, room, user) }, { ...(session && { session }) })
}

/** The memberships of these keys, `key(app, room, user)`. */
export async function findMembershipsByKey(
  db: Db,
  keys: readonly string[],
  session?: ClientSession,
): Promise<MembershipDoc[]> {
  if (keys.length === 0) return []
  return db.memberships.find({ _id: { $in: [...keys] } }, { ...(session && { session }) }).toArray()
}

/** The fields that decide whether a member gets a push. */
export type MemberToPush = Pick<MembershipDoc, 'user' | 'joinedAtMS' | 'readSeq' | 'pref' | 'notify'> &
  BlockMark & {
    /** The member's notifications of the message's thread. */
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

/** All members of a room in pages, always in the same order: the longest-standing first. */
export async function* pageMembers(db: Db, roomKey: string, perPage: number): AsyncGenerator<MemberToPush[]> {
  const members = db.memberships
    .find(ofRoom(roomKey))
    .sort({ joinedAtMS: 1, _id: 1 })
    .project<MemberToPush>(memberToPush)
    .batchSize(perPage)
  yield* readInParts(members, perPage)
}

/** The fields that decide whether a member may send. */
export type Sender = Pick<MembershipDoc, '_id'> & BlockMark

/** Records that a member may have deleted messages of the room up to a seq for themselves. */
export async function noteHidden(db: Db, membership: string, seq: number, session: ClientSession): Promise<void> {
  await db.memberships.updateOne({ _id: membership }, { $max: { hiddenUpToSeq: seq } }, { session })
}

/** Sets the given preferences of a member on a condition; null if it fails, and for a user outside the room. */
export async function updatePref(
  db: Db,
  { app, room, user }: { app: string; room: string; user: string },
  change: Partial<RoomPref>,
  session: ClientSession,
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
 * Sets the reported read marker of a member, inside the transaction that counted `uncounted`. Writes it even if it stays, so that
 * concurrent reports exclude each other.
 * @param members of rooms, or of threads
 */
export async function setReadMarker(
  members: Db['memberships'],
  membership: string,
  { readSeq, uncounted }: ReadMarker,
  session: ClientSession,
): Promise<void> {
  await members.updateOne(
    { _id: membership },
    { $set: { readSeq, uncounted, markerSetAtMS: clock.now() } },
    { session },
  )
}

/** Sets the uncounted messages, with the marker that they were counted from; the member's read position stays. */
export async function setUncounted(
  members: Db['memberships'],
  membership: string,
  { readSeq, uncounted }: ReadMarker,
  session: ClientSession,
): Promise<void> {
  await members.updateOne({ _id: membership }, { $set: { readSeq, uncounted } }, { session })
}
