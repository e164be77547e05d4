import type { Db } from '../db.ts'
import { idsOf } from '../keys.ts'
import { findBySeq } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { minuteOf } from '../minutes.ts'
import { findRoomsByKeyOrPair, insertRooms } from '../rooms/direct-rooms.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { findRoomsByKey } from '../rooms/rooms.ts'
import { newVersion } from '../rooms/version.ts'
import { insertMissing, runWrites } from '../transactions/run-writes.ts'
import type { UserDoc } from '../users/documents.ts'
import { findUsersByKey } from '../users/users.ts'
import { inTransactionWhenBusy, retryBusy } from './retry-busy.ts'

/** An imported document conflicts with an existing one. */
export class ImportConflict extends Error {
  override name = 'ImportConflict'
}

/** Inserts missing users; existing users stay unchanged. @throws ImportConflict if an ID is a user group's */
export async function insertImportedUsers(db: Db, users: readonly UserDoc[]): Promise<void> {
  if (users.length === 0) return
  await retryBusy(() => insertMissing(db, db.users.collectionName, users))
  const existing = await findUsersByKey(db, idsOf(users))
  for (const { id, groupMembers } of existing.values()) {
    if (groupMembers) throw new ImportConflict(`there is a user group ${JSON.stringify(id)}`)
  }
}

/** Inserts missing rooms; existing rooms stay unchanged. @throws ImportConflict if an existing room differs */
export async function insertImportedRooms(db: Db, rooms: readonly RoomDoc[]): Promise<void> {
  if (rooms.length === 0) return
  const existing = await findRoomsByKeyOrPair(db, {
    keys: idsOf(rooms),
    pairs: rooms.flatMap(({ pair }) => pair ?? []),
  })
  const wanted = new Map(rooms.map((room) => [room._id, room]))
  const known = new Set(idsOf(existing))
  const closed = new Set(rooms.flatMap(({ _id, pair }) => (pair !== undefined && known.has(_id) ? pair : [])))
  for (const { _id, id, roomType, pair, deletedAt } of existing) {
    const room = wanted.get(_id)
    // The room of the file was closed when one of its users was erased, and the two have a new one.
    if (!room && pair !== undefined && closed.has(pair)) continue
    if (!room) throw new ImportConflict(`the two users already have a direct room: ${JSON.stringify(id)}`)
    if (deletedAt) throw new ImportConflict(`the room ${JSON.stringify(id)} was deleted`)
    // A direct room may have been closed since an earlier import, or in the file: it stays as it is.
    const isOther = room.pair !== undefined && pair !== undefined && room.pair !== pair
    if (room.roomType !== roomType || isOther) {
      throw new ImportConflict(`there is another room ${JSON.stringify(id)}`)
    }
  }
  const missing = rooms.filter(({ _id }) => !known.has(_id))
  const groups = missing.filter(({ pair }) => pair === undefined)
  if (groups.length > 0) await retryBusy(() => insertMissing(db, db.rooms.collectionName, groups))
  const direct = missing.filter(({ pair }) => pair !== undefined)
  for (let from = 0; from < direct.length; from += perCommand) {
    await insertDirect(db, direct.slice(from, from + perCommand))
  }
}

/** Inserts each room with its pair in one transaction, so that a kill leaves neither without the other. */
async function insertDirect(db: Db, rooms: readonly RoomDoc[]): Promise<void> {
  const keys = idsOf(rooms)
  await inTransactionWhenBusy(db, async (session) => {
    const existing = new Set((await findRoomsByKey(db, keys, session)).map(({ _id }) => _id))
    const missing = rooms.filter(({ _id }) => !existing.has(_id))
    if (missing.length > 0) await insertRooms(db, missing, session)
  })
}

/** The IDs of a range of a room's flushed messages, by seq. */
export async function findIdsBySeq(
  db: Db,
  roomKey: string,
  fromSeq: number,
  toSeq: number,
): Promise<Map<number, string>> {
  const found = await findBySeq(db, roomKey, { after: fromSeq - 1, upTo: toSeq })
  return new Map(found.map(({ _id, seq }) => [seq, _id]))
}

export interface ImportedAdvance {
  roomKey: string
  /** The room's seq before the import. */
  from: number
  /** The last new message outside threads. */
  last?: Pick<MessageDoc, '_id' | 'seq' | 'createdAtMS'>
  /** The latest time of the new messages, and of those in threads. */
  clockMS: number
  lastThreadAtMS?: number
}

/** Limited by the four seconds that a command may take. */
const perCommand = 500
const parallelCommands = 4

/** Inserts messages with their seqs. They stay invisible until advanceImported moves their rooms. */
export async function insertImported(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  // Messages of one room are adjacent in the indexes.
  const sorted = messages.toSorted((a, b) => (a.roomKey < b.roomKey ? -1 : a.roomKey > b.roomKey ? 1 : a.seq - b.seq))
  let next = 0
  const work = async () => {
    while (next < sorted.length) {
      const part = sorted.slice(next, (next += perCommand))
      await retryBusy(() => insertMissing(db, db.messages.collectionName, part))
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: parallelCommands }, work))
  // Fail only once every worker has stopped: the caller then removes what they inserted.
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Moves rooms to their last messages. Idempotent. @throws ImportConflict if a room was changed meanwhile */
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
      ...newVersion(),
    },
  }))
  const { matched } = await retryBusy(() => runWrites(db, 'update', db.rooms.collectionName, statements, 'durable'))
  if (matched < advances.length) throw new ImportConflict(await namesOfChanged(db, advances))
}

async function namesOfChanged(db: Db, advances: readonly ImportedAdvance[]): Promise<string> {
  const wanted = new Map(advances.map(({ roomKey, from, last }) => [roomKey, last?.seq ?? from]))
  const rooms = await findRoomsByKey(db, [...wanted.keys()])
  const changed = rooms.filter(({ _id, seq, deletedAt }) => deletedAt || seq !== wanted.get(_id))
  const names = changed.map(({ id }) => JSON.stringify(id)).join(', ')
  return `the room ${names} was deleted, or got other messages, during the import`
}
