import type { ClientSession, Document } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { bucketKeyOf } from '../message-buckets/buckets.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { findByKeys, keysOf, lookUp } from '../messages/room-page.ts'
import { ownSeqs } from '../room-buffer/buffer.ts'
import { inSnapshot } from '../transactions/snapshot.ts'
import type { UserDoc } from '../users/documents.ts'
import type { MembershipDoc, RoomDoc } from './documents.ts'
import { unreadOf } from './memberships.ts'
import { type RoomSummary, summaryFields } from './rooms.ts'

/** A room as one of its members has it in a list. */
export interface RoomOfMember {
  membership: Pick<
    MembershipDoc,
    'roomKey' | 'readSeq' | 'uncounted' | 'flushedSeq' | 'hiddenUpToSeq' | 'pref' | 'notify'
  >
  room: RoomSummary
  unread: number
  /** All of it, where it was read with the rest. */
  shown?: ShownRoom
}

/** All that is shown of a room, at one moment. */
export interface ShownRoom {
  room: RoomDoc & { own: number[] }
  /** The last message, where it is flushed; else it is the buffer, of which only the last is there. */
  last: MessageDoc[]
  /** The members and the sender to show. */
  users: UserDoc[]
}

const membershipFields = {
  ...{ _id: 0, roomKey: 1, readSeq: 1, uncounted: 1, flushedSeq: 1, hiddenUpToSeq: 1, pref: 1, notify: 1 },
} satisfies Record<keyof RoomOfMember['membership'] | '_id', 0 | 1>

/** Documents in one reply of MongoDB, which by itself makes a second round trip after a hundred. */
const perReply = 10_000

/**
 * The rooms of a user that are not deleted, each with the exact unread count, in no order. Costs two round trips, and
 * reads only parts of the documents.
 * @param showUpTo for at most this many rooms it reads all shown fields
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

async function findParts(db: Db, user: string, keys: readonly string[], session: ClientSession) {
  const rooms = await db.rooms
    .find({ _id: { $in: [...keys] }, deletedAt: { $exists: false } }, { session, batchSize: perReply })
    .project<RoomSummary & { own: number[] }>({ ...summaryFields, ...ownSeqs(user) })
    .toArray()
  return rooms.map((room) => ({ room }))
}

async function findShown<S extends ShownRoom>(
  db: Db,
  { app, user }: { app: string; user: string },
  keys: readonly string[],
  session: ClientSession,
  only: readonly Document[] = [],
): Promise<{ room: S['room']; shown: S }[]> {
  const match = { $match: { _id: { $in: [...keys] }, deletedAt: { $exists: false } } }
  const stages = [match, ...only, ...shownStages(db, app, user)]
  const found = await db.rooms.aggregate<S>(stages, { session, batchSize: perReply }).toArray()
  return found.map((shown) => ({ room: shown.room, shown }))
}

/**
 * All that is shown of rooms, as it is now, in one round trip, without deleted ones and those that the user has left: the
 * unread count is of the moment of the last message.
 */
export async function findShownRooms(
  db: Db,
  of: { app: string; user: string },
  keys: readonly string[],
): Promise<Required<RoomOfMember>[]> {
  if (keys.length === 0) return []
  const only = onlyOfMember(db, of.user)
  return inSnapshot(db, async (session) => {
    const found = await findShown<ShownRoom & { room: { mine: MembershipDoc[] } }>(db, of, keys, session, only)
    return found.flatMap(({ room, shown }) => {
      return room.mine.map((membership) => ({ membership, room, unread: unreadOf(membership, room), shown }))
    })
  })
}

/** The stages of a pipeline on rooms that add the user's membership as `mine`, and leave out those of which they are no member. */
function onlyOfMember(db: Db, user: string): Document[] {
  return [
    { $set: { mine: [{ $concat: ['$_id', { $literal: `\0${user}` }] }] } },
    findByKeys(db.memberships.collectionName, 'mine'),
    { $match: { 'mine.0': { $exists: true } } },
  ]
}

/** The stages of a pipeline on rooms that add all that is shown of them. */
function shownStages(db: Db, app: string, user: string): Document[] {
  const buffer = { $ifNull: [{ $slice: ['$buffer', -1] }, '$$REMOVE'] }
  const shown = { $concatArrays: ['$room.firstMembers', '$last.sender', { $ifNull: ['$room.buffer.sender', []] }] }
  return [
    { $set: { ...ownSeqs(user), buffer } },
    { $project: { _id: 0, room: '$$ROOT' } },
    { $set: { last: { $ifNull: ['$room.lastMessageID', ''] }, inBucket: bucketKeyOf('$room._id', '$room.seq') } },
    lookUpInBuckets(db),
    findByKeys(db.messages.collectionName, 'last'),
    { $set: { last: { $concatArrays: ['$last', '$inBucket'] } } },
    { $unset: 'inBucket' },
    { $set: { users: keysOf({ $setUnion: shown }, key(app, '')) } },
    findByKeys(db.users.collectionName, 'users'),
  ]
}

/** The stage that finds the message `last` in the bucket with the key `inBucket`, and puts it there. */
function lookUpInBuckets(db: Db): Document {
  const isLast = { $eq: ['$$this._id', '$$last'] }
  const of = { app: '$app', room: '$room', roomKey: '$roomKey' }
  return {
    $lookup: {
      ...{ from: db.messageBuckets.collectionName, localField: 'inBucket', foreignField: '_id', as: 'inBucket' },
      let: { last: '$last' },
      pipeline: [
        { $set: { message: { $first: { $filter: { input: '$messages', cond: isLast } } } } },
        { $match: { message: { $exists: true } } },
        { $replaceWith: { $mergeObjects: [of, { updatedAtMS: '$message.createdAtMS' }, '$message'] } },
      ],
    },
  }
}

/** A room as one of its members sees it. */
export interface OpenedRoom extends ShownRoom {
  /** None when the user is not a member. */
  memberships: MembershipDoc[]
}

/** Reads a room for one of its members in one round trip; undefined when there is no such room. */
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
