import type { Db } from '../db.ts'
import { findBySeq } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { findRoomsByKeyOrPair, insertRooms } from '../rooms/direct-rooms.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { minuteOf } from '../rooms/last-minute.ts'
import { findRoomsByKey, moved } from '../rooms/rooms.ts'
import { insertMissing, runWrites } from '../transactions/run-writes.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { UserDoc } from '../users/documents.ts'
import { findUsersByKey } from '../users/users.ts'
import { patiently } from './patiently.ts'

/** A document in the database stands where an imported one should. */
export class ImportConflict extends Error {
  override name = 'ImportConflict'
}

/** Inserts the missing users; existing ones stay as they are. @throws ImportConflict for the ID of a group */
export async function insertImportedUsers(db: Db, users: readonly UserDoc[]): Promise<void> {
  if (users.length === 0) return
  await patiently(() => insertMissing(db, db.users.collectionName, users))
  const there = await findUsersByKey(
    db,
    users.map(({ _id }) => _id),
  )
  for (const { id, groupMembers } of there.values()) {
    if (groupMembers) throw new ImportConflict(`there is a user group ${JSON.stringify(id)}`)
  }
}

/** Inserts the rooms that are not there; those that are stay as they are. @throws ImportConflict when one is another room */
export async function insertImportedRooms(db: Db, rooms: readonly RoomDoc[]): Promise<void> {
  if (rooms.length === 0) return
  const there = await findRoomsByKeyOrPair(db, {
    keys: rooms.map(({ _id }) => _id),
    pairs: rooms.flatMap(({ pair }) => pair ?? []),
  })
  const wanted = new Map(rooms.map((room) => [room._id, room]))
  for (const { _id, id, roomType, pair, deletedAt } of there) {
    const room = wanted.get(_id)
    if (!room) throw new ImportConflict(`the two have a direct room already: ${JSON.stringify(id)}`)
    if (deletedAt) throw new ImportConflict(`the room ${JSON.stringify(id)} was deleted`)
    if (room.roomType !== roomType || room.pair !== pair) {
      throw new ImportConflict(`there is another room ${JSON.stringify(id)}`)
    }
  }
  const known = new Set(there.map(({ _id }) => _id))
  const missing = rooms.filter(({ _id }) => !known.has(_id))
  const groups = missing.filter(({ pair }) => pair === undefined)
  if (groups.length > 0) await patiently(() => insertMissing(db, db.rooms.collectionName, groups))
  const direct = missing.filter(({ pair }) => pair !== undefined)
  for (let from = 0; from < direct.length; from += perCommand) {
    await patiently(() => insertDirect(db, direct.slice(from, from + perCommand)))
  }
}

/** Each with its pair, so that no kill leaves one without the other. */
async function insertDirect(db: Db, rooms: readonly RoomDoc[]): Promise<void> {
  const keys = rooms.map(({ _id }) => _id)
  await inTransaction(db, async (session) => {
    const there = new Set((await findRoomsByKey(db, keys, session)).map(({ _id }) => _id))
    const missing = rooms.filter(({ _id }) => !there.has(_id))
    if (missing.length > 0) await insertRooms(db, missing, session)
  })
}

/** The IDs of a stretch of a room's messages, by seq; what is in the buffer is left out. */
export async function findIdsBySeq(
  db: Db,
  roomKey: string,
  fromSeq: number,
  toSeq: number,
): Promise<Map<number, string>> {
  const found = await findBySeq(db, roomKey, { after: fromSeq - 1, upTo: toSeq })
  return new Map(found.map(({ _id, seq }) => [seq, _id]))
}

/** A room that gets messages. */
export interface ImportedAdvance {
  roomKey: string
  /** Its seq before. */
  from: number
  /** The last of the new messages of the room itself. */
  last?: Pick<MessageDoc, '_id' | 'seq' | 'createdAtMS'>
  /** The highest time of its new messages, and when the last of one of its threads was sent. */
  clockMS: number
  lastThreadAtMS?: number
}

/** How many messages one command inserts: a command has four seconds. */
const perCommand = 500
const atOnce = 4

/** Inserts messages with their seqs. They are invisible until their rooms have moved. */
export async function insertImported(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  // Those of one room lie together in the indexes.
  const sorted = messages.toSorted((a, b) => (a.roomKey < b.roomKey ? -1 : a.roomKey > b.roomKey ? 1 : a.seq - b.seq))
  let next = 0
  const work = async () => {
    while (next < sorted.length) {
      const part = sorted.slice(next, (next += perCommand))
      await patiently(() => insertMissing(db, db.messages.collectionName, part))
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  // After a failure, remove the inserts of the others: once they have ended.
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Moves rooms to their last messages; repeated, it changes nothing. @throws ImportConflict when a room was changed meanwhile */
export async function advanceImported(db: Db, advances: readonly ImportedAdvance[]): Promise<void> {
  if (advances.length === 0) return
  const statements = advances.map(({ roomKey, from, last, clockMS, lastThreadAtMS }) => ({
    q: {
      _id: roomKey,
      $or: [{ seq: from }, ...(last ? [{ seq: last.seq, lastMessageID: last._id }] : [])],
      deletedAt: { $exists: false },
    },
    u: {
      ...(last && {
        $set: {
          seq: last.seq,
          lastMessageID: last._id,
          lastMessageAtMS: last.createdAtMS,
          lastMinute: minuteOf(last.createdAtMS),
        },
      }),
      $max: { clockMS, ...(lastThreadAtMS !== undefined && { lastThreadAtMS }) },
      ...moved(),
    },
  }))
  const { matched } = await patiently(() => runWrites(db, 'update', db.rooms.collectionName, statements, 'durable'))
  if (matched < advances.length) throw new ImportConflict(await namesOfChanged(db, advances))
}

async function namesOfChanged(db: Db, advances: readonly ImportedAdvance[]): Promise<string> {
  const wanted = new Map(advances.map(({ roomKey, from, last }) => [roomKey, last?.seq ?? from]))
  const rooms = await findRoomsByKey(db, [...wanted.keys()])
  const changed = rooms.filter(({ _id, seq, deletedAt }) => deletedAt || seq !== wanted.get(_id))
  const names = changed.map(({ id }) => JSON.stringify(id)).join(', ')
  return `the room ${names} was deleted, or got messages of others, while it was imported`
}
