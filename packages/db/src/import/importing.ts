import { inParts } from '@parley/async/in-parts'
import type { ImportLease } from '../apps/documents.ts'
import type { Db } from '../db.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import { newVersion } from '../rooms/version.ts'
import { firstOfOthers, removeUnreached, removeUnreachedOfThreads } from './unreached.ts'

const durable = { writeConcern: { w: 'majority', j: true } } as const
const perCommand = 1_000

const untilIn = (leaseMS: number) => ({ $add: ['$$NOW', leaseMS] })

/** Takes the import lease of an app. Returns undefined, or the lease of the current holder. */
export async function takeImports(db: Db, app: string, by: string, leaseMS: number): Promise<ImportLease | undefined> {
  // A missing field sorts before every time.
  const free = { _id: app, $expr: { $lte: ['$importing.until', '$$NOW'] } }
  const { matchedCount } = await db.apps.updateOne(
    free,
    [{ $set: { importing: { by, until: untilIn(leaseMS) } } }],
    durable,
  )
  if (matchedCount > 0) return undefined
  const found = await db.apps.findOne({ _id: app }, { projection: { importing: 1 } })
  if (!found) throw new Error(`there is no app ${JSON.stringify(app)}`)
  // The holder ended its import just now.
  return found.importing ?? { by, until: new Date(0) }
}

/** @returns whether the lease was still held */
export async function renewImports(db: Db, app: string, by: string, leaseMS: number): Promise<boolean> {
  const own = { _id: app, 'importing.by': by }
  const { matchedCount } = await db.apps.updateOne(own, [{ $set: { 'importing.until': untilIn(leaseMS) } }], durable)
  return matchedCount > 0
}

export async function endImports(db: Db, app: string, by: string): Promise<void> {
  await db.apps.updateOne({ _id: app, 'importing.by': by }, { $unset: { importing: 1 } })
}

/** Marks rooms as being imported. Sends that already read a room fail to match it; later sends are refused. */
export async function markImporting(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    await db.rooms.updateMany({ _id: { $in: keys } }, { $set: { importing: true }, ...newVersion() }, durable)
  }
}

/** Opens rooms to sends again. The rooms must have no messages beyond their seq. */
export async function endImporting(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    const marked = { _id: { $in: keys }, importing: true } as const
    await db.rooms.updateMany(marked, { $unset: { importing: true }, ...newVersion() }, durable)
  }
}

/** Removes a failed import's messages, and opens its rooms. Needs the import lease. @returns the number of rooms */
export async function abortImporting(db: Db, app: string): Promise<number> {
  const rooms = await db.rooms
    .find({ app, importing: true }, { projection: { _id: 1, id: 1 } })
    .map(({ _id, id }) => ({ _id, id }))
    .toArray()
  const keys = idsOf(rooms)
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
  return idsOf(found)
}
