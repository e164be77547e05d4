import { inParts } from '@parley/async/in-parts'
import type { Db } from '../db.ts'
import { key, keyRange } from '../keys.ts'
import { moved } from '../rooms/rooms.ts'
import { firstOfOthers, removeUnreached, removeUnreachedOfThreads } from './unreached.ts'

const durable = { writeConcern: { w: 'majority', j: true } } as const
const perCommand = 1_000

/** Marks rooms as being imported. Sends that already read a room fail to match it; later sends are refused. */
export async function markImporting(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    await db.rooms.updateMany({ _id: { $in: keys } }, { $set: { importing: true }, ...moved() }, durable)
  }
}

/** Opens rooms to sends again. The rooms must have no messages beyond their seq. */
export async function endImporting(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    const marked = { _id: { $in: keys }, importing: true } as const
    await db.rooms.updateMany(marked, { $unset: { importing: true }, ...moved() }, durable)
  }
}

/**
 * Cleans up a failed import: removes its messages beyond the ends of rooms and threads, then opens the rooms to sends.
 * The caller must hold the app's import lease.
 * @returns the number of rooms that were being imported
 */
export async function abortImporting(db: Db, app: string): Promise<number> {
  const rooms = await db.rooms
    .find({ app, importing: true }, { projection: { _id: 1, id: 1 } })
    .map(({ _id, id }) => ({ _id, id }))
    .toArray()
  const keys = rooms.map(({ _id }) => _id)
  await removeUnreached(db, keys)
  for (const { id } of rooms) await removeUnreachedOfThreads(db, await findImportedThreads(db, app, id))
  await endImporting(db, keys)
  return keys.length
}

/** The roots of the room's threads with imported messages. */
async function findImportedThreads(db: Db, app: string, room: string): Promise<string[]> {
  const threads = { roomKey: keyRange(key(app, room)), _id: { $lt: firstOfOthers } }
  const found = await db.messages
    .aggregate<{ _id: string }>([{ $match: threads }, { $group: { _id: '$threadOf' } }], {
      hint: { roomKey: 1, seq: 1 },
    })
    .toArray()
  return found.map(({ _id }) => _id)
}
