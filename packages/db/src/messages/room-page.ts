import type { Document } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { isServerError } from '../server-errors.ts'
import { inSnapshot } from '../transactions/snapshot.ts'
import type { UserDoc } from '../users/documents.ts'
import { type FirstRead, type FoundMessages, firstRead, historyStages, isBeyond, type PageSize } from './history.ts'
import type { PageStart, TimeField } from './page-start.ts'
import { deletionKey, deletionOfAllKey, type FoundDeletion } from './user-deletions.ts'

/** A consistent read of everything that a page of a room's history needs. */
export interface RoomPage {
  room: RoomDoc
  isMember: boolean
  /** The first flushed messages of the page. */
  first: FirstRead
  /** Senders of these messages, and of those in the buffer. */
  users: UserDoc[]
  /** The caller's own deletions, of these messages or as a whole. */
  deletions: FoundDeletion[]
}

/** This many messages of maximum size, with all their reactions, fit into one document. */
const maxOfAnySize = 8

/** Reads a room for a page of its history in one round trip; undefined if there is no such room. */
export async function readRoomPage(
  db: Db,
  of: { app: string; room: string; user: string },
  start: PageStart,
  field: TimeField,
  size: PageSize,
): Promise<RoomPage | undefined> {
  const read = (max: number) =>
    inSnapshot(db, async (session) => {
      const find = async (upToSeq?: number) => {
        const stages = pageStages(db, of, historyStages(key(of.app, of.room), start, field, max, { upToSeq }))
        return (await db.rooms.aggregate<FoundPage>(stages, { session }).toArray())[0]
      }
      const whole = await find()
      const found = whole && isBeyond(whole.apart, whole.room.seq) ? await find(whole.room.seq) : whole
      if (!found) return undefined
      const { apart, buckets, memberships, ...rest } = found
      return { ...rest, isMember: memberships.length > 0, first: { apart, buckets, max } }
    })
  return read(firstRead(size)).catch((error: unknown) => {
    if (isServerError(error, 'BSONObjectTooLarge')) return read(maxOfAnySize)
    throw error
  })
}

type FoundPage = Omit<RoomPage, 'isMember' | 'first'> & FoundMessages & { memberships: unknown[] }

function pageStages(
  db: Db,
  { app, room, user }: { app: string; room: string; user: string },
  page: ReturnType<typeof historyStages>,
) {
  const membership = { _id: key(app, room, user) }
  const inBuckets = (field: string) => ({
    $reduce: { input: '$buckets', initialValue: [], in: { $concatArrays: ['$$value', `$$this.messages.${field}`] } },
  })
  const senders = {
    $setUnion: ['$apart.sender', inBuckets('sender'), { $ifNull: ['$room.buffer.sender', []] }],
  }
  const ids = { $concatArrays: ['$apart._id', inBuckets('_id')] }
  const ofAll = [{ $literal: deletionOfAllKey(app, room, user) }]
  return [
    { $match: { _id: key(app, room) } },
    { $project: { _id: 0, room: '$$ROOT' } },
    lookUp(db.memberships.collectionName, [{ $match: membership }, { $project: { _id: 1 } }], 'memberships'),
    lookUp(db.messageBuckets.collectionName, page.buckets, 'buckets'),
    lookUp(db.messages.collectionName, page.apart, 'apart'),
    {
      $set: {
        users: keysOf(senders, key(app, '')),
        // Buffered messages need no lookup: deleting a message for oneself flushes it.
        deletions: { $concatArrays: [ofAll, keysOf(ids, deletionKey(app, room, user, ''))] },
      },
    },
    findByKeys(db.users.collectionName, 'users'),
    findByKeys(db.userDeletions.collectionName, 'deletions'),
  ]
}

export function lookUp(from: string, pipeline: Document[], as: string): Document {
  return { $lookup: { from, pipeline, as } }
}

/** A stage that replaces the keys in a field with their documents. */
export function findByKeys(from: string, field: string): Document {
  return { $lookup: { from, localField: field, foreignField: '_id', as: field } }
}

/** Expression that prefixes each of the strings. */
export function keysOf(strings: unknown, prefix: string): Document {
  return { $map: { input: strings, in: { $concat: [{ $literal: prefix }, '$$this'] } } }
}
