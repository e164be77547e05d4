import type { Document } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, key } from '../keys.ts'
import { bucketKeyOf } from '../message-buckets/buckets.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { findByKeys, keysOf, lookUp } from '../messages/room-page.ts'
import { ownSeqs } from '../room-buffer/buffer.ts'
import { inSnapshot } from '../transactions/snapshot.ts'
import type { UserDoc } from '../users/documents.ts'
import type { MembershipDoc, RoomDoc } from './documents.ts'
import { unreadOf } from './memberships.ts'
import { type RoomSummary, summaryFields } from './rooms.ts'

export interface RoomOfMember {
  membership: Pick<
    MembershipDoc,
    'roomKey' | 'readSeq' | 'uncounted' | 'flushedSeq' | 'hiddenUpToSeq' | 'pref' | 'notify'
  >
  room: RoomSummary
  unread: number
  /** All shown fields, if they were read. */
  shown?: ShownRoom
}

/** A consistent read of everything that is shown of a room. */
export interface ShownRoom {
  /** `buffer` has only its last message. */
  room: RoomDoc & { own: number[] }
  /** The last message if it is flushed; otherwise it is in `room.buffer`. */
  last: MessageDoc[]
  /** The members to show, and the last message's sender. */
  users: UserDoc[]
}

const membershipFields = {
  ...{ _id: 0, roomKey: 1, readSeq: 1, uncounted: 1, flushedSeq: 1, hiddenUpToSeq: 1, pref: 1, notify: 1 },
} satisfies Record<keyof RoomOfMember['membership'] | '_id', 0 | 1>

/** Documents per reply. MongoDB's default of 101 in the first batch would need a second round trip. */
const perReply = 10_000

/**
 * The user's rooms, without deleted ones, each with the exact unread count, unordered. Takes two round trips.
 * @param showUpTo reads all shown fields if the user has at most this many rooms
 */
export async function findRoomsOfMember(
  db: Db,
  app: string,
  user: string,
  { showUpTo = 0 }: { showUpTo?: number } = {},
): Promise<RoomOfMember[]> {
  return inSnapshot(db, async (session) => {
    const memberships = await db.memberships
      .find({ userKey: key(app, user) }, { session, batchSize: perReply })
      .project<RoomOfMember['membership']>(membershipFields)
      .toArray()
    const keys = memberships.map(({ roomKey }) => roomKey)
    if (keys.length === 0) return []
    const isWhole = keys.length <= showUpTo
    const found = isWhole ? await findShown(db, { app, user }, keys, session) : await findParts(db, user, keys, session)
    const rooms = new Map(found.map((one) => [one.room._id, one]))
    return memberships.flatMap((membership) => {
      const one = rooms.get(membership.roomKey)
      return one ? [{ membership, ...one, unread: unreadOf(membership, one.room) }] : []
    })
  })
}

async function findParts(db: Db, user: string, keys: readonly string[], session: Session) {
  const rooms = await db.rooms
    .find({ _id: { $in: [...keys] }, deletedAt: { $exists: false } }, { session, batchSize: perReply })
    .project<RoomSummary & { own: number[] }>({ ...summaryFields, ...ownSeqs(user) })
    .toArray()
  return rooms.map((room) => ({ room }))
}

async function findShown<S extends ShownRoom>(
  db: Db,
  { app, user }: AppUser,
  keys: readonly string[],
  session: Session,
  only: readonly Document[] = [],
): Promise<{ room: S['room']; shown: S }[]> {
  const match = { $match: { _id: { $in: [...keys] }, deletedAt: { $exists: false } } }
  const stages = [match, ...only, ...shownStages(db, app, user)]
  const found = await db.rooms.aggregate<S>(stages, { session, batchSize: perReply }).toArray()
  return found.map((shown) => ({ room: shown.room, shown }))
}

/** Everything shown of a member's rooms, in one round trip. Unread counts are consistent with the last messages. */
export async function findShownRooms(db: Db, of: AppUser, keys: readonly string[]): Promise<Required<RoomOfMember>[]> {
  if (keys.length === 0) return []
  const only = onlyOfMember(db, of.user)
  return inSnapshot(db, async (session) => {
    const found = await findShown<ShownRoom & { room: { mine: MembershipDoc[] } }>(db, of, keys, session, only)
    return found.flatMap(({ room, shown }) => {
      return room.mine.map((membership) => ({ membership, room, unread: unreadOf(membership, room), shown }))
    })
  })
}

/** Stages on rooms that add the user's membership as `mine`, and exclude rooms without one. */
function onlyOfMember(db: Db, user: string): Document[] {
  return [
    { $set: { mine: [{ $concat: ['$_id', { $literal: `\0${user}` }] }] } },
    findByKeys(db.memberships.collectionName, 'mine'),
    { $match: { 'mine.0': { $exists: true } } },
  ]
}

/** Stages on rooms that turn each into a ShownRoom. */
function shownStages(db: Db, app: string, user: string): Document[] {
  const buffer = { $ifNull: [{ $slice: ['$buffer', -1] }, '$$REMOVE'] }
  const shown = { $concatArrays: ['$room.firstMembers', '$last.sender', { $ifNull: ['$room.buffer.sender', []] }] }
  return [
    { $set: { ...ownSeqs(user), buffer } },
    { $project: { _id: 0, room: '$$ROOT' } },
    { $set: { last: { $ifNull: ['$room.lastMessageID', ''] }, inBucket: bucketKeyOf('$room._id', '$room.seq') } },
    // Without a pipeline, which MongoDB would plan for each room.
    findByKeys(db.messageBuckets.collectionName, 'inBucket'),
    { $set: { inBucket: { $first: '$inBucket' } } },
    { $set: { inBucket: lastInBucket() } },
    findByKeys(db.messages.collectionName, 'last'),
    { $set: { last: { $concatArrays: ['$last', '$inBucket'] } } },
    { $unset: 'inBucket' },
    { $set: { users: keysOf({ $setUnion: shown }, key(app, '')) } },
    findByKeys(db.users.collectionName, 'users'),
  ]
}

/** The message with the ID `last` in the bucket `inBucket`, as an array of at most one. */
function lastInBucket(): Document {
  const message = { $filter: { input: '$inBucket.messages', cond: { $eq: ['$$this._id', '$last'] }, limit: 1 } }
  const { app, room, roomKey } = { app: '$inBucket.app', room: '$inBucket.room', roomKey: '$inBucket.roomKey' }
  const whole = { $mergeObjects: [{ app, room, roomKey, updatedAtMS: '$$this.createdAtMS' }, '$$this'] }
  return { $map: { input: { $ifNull: [message, []] }, in: whole } }
}

export interface OpenedRoom extends ShownRoom {
  /** The user's membership; empty if the user is not a member. */
  memberships: MembershipDoc[]
}

/** Reads a room for one of its members in one round trip; undefined if there is no such room. */
export async function findRoomOfMember(db: Db, app: string, id: string, user: string): Promise<OpenedRoom | undefined> {
  const stages = [
    { $match: { _id: key(app, id) } },
    ...shownStages(db, app, user),
    lookUp(db.memberships.collectionName, [{ $match: { _id: key(app, id, user) } }], 'memberships'),
  ]
  return inSnapshot(db, async (session) => {
    const [found] = await db.rooms.aggregate<OpenedRoom>(stages, { session }).toArray()
    return found
  })
}
