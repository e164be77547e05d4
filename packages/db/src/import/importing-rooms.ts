import { inParts } from '@parley/async/in-parts'
import type { Db } from '../db.ts'
import { key, keyRange } from '../keys.ts'
import { moved } from '../rooms/rooms.ts'
import { firstOfOthers, removeUnreached, removeUnreachedOfThreads } from './unreached.ts'

const durable = { writeConcern: { w: 'majority', j: true } } as const
const perCommand = 1_000

/** Marks rooms as being imported: a send that has read a room no longer matches it, and later ones are refused. */
export async function markImporting(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    await db.rooms.updateMany({ _id: { $in: keys } }, { $set: { importing: true }, ...moved() }, durable)
  }
}

/** Opens rooms to sends again. They must have no messages beyond their end. */
export async function endImporting(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    const marked = { _id: { $in: keys }, importing: true } as const
    await db.rooms.updateMany(marked, { $unset: { importing: true }, ...moved() }, durable)
  }
}

/**
 * Ends a failed import: removes the messages that it wrote beyond the ends of rooms and threads, then opens the rooms to
 * sends. Call it with the import lease of the app.
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

/** The roots of the room's threads that hold imported messages. */
async function findImportedThreads(db: Db, app: string, room: string): Promise<string[]> {
  const threads = { roomKey: keyRange(key(app, room)), _id: { $lt: firstOfOthers } }
  const found = await db.messages
    .aggregate<{ _id: string }>([{ $match: threads }, { $group: { _id: '$threadOf' } }], {
      hint: { roomKey: 1, seq: 1 },
    })
    .toArray()
  return found.map(({ _id }) => _id)
}
