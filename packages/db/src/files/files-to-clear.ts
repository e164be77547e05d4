import { clock } from '@parley/async/clock'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key, keyRange } from '../keys.ts'
import { inTransaction, type Session } from '../transactions/transaction.ts'
import type { FileDoc, FilesToClearDoc } from './documents.ts'
import { exportOwner } from './export-files.ts'

export const filesToClearIndexes: IndexDescription[] = [{ key: { nextMS: 1 } }]

/** Longer than the work on one takes. */
const leaseMS = 60_000
/** How long after its creation a file can be uploaded. */
export const uploadWithinMS = 60 * 60 * 1_000
const perTransaction = 200

/** Removes a file unchanged since it was read; its bytes follow. Returns whether it did. */
export async function removeFile(db: Db, file: FileDoc): Promise<boolean> {
  const { _id, lookAtMS, heldUntilMS } = file
  return (await removeMatching(db, [file], { _id, lookAtMS, heldUntilMS: heldUntilMS ?? { $exists: false } })) === 1
}

/** Removes all files of a user, referenced or not, and their exports. */
export async function removeFilesOf(db: Db, app: string, owner: string): Promise<void> {
  await removePages(db, { ownerKey: { $in: [key(app, owner), exportOwner(app, owner)] } })
}

/** Removes all files of an app, and the work left for its rooms; returns the number of documents. */
export async function removeFilesOfApp(db: Db, app: string): Promise<number> {
  const { deletedCount } = await db.filesToClear.deleteMany({ _id: keyRange(app) })
  return deletedCount + (await removePages(db, { _id: keyRange(app) }))
}

async function removePages(db: Db, of: Filter<FileDoc>): Promise<number> {
  let removed = 0
  for (;;) {
    const page = await db.files.find(of).limit(perTransaction).toArray()
    if (page.length === 0) return removed
    removed += await removeMatching(db, page, { _id: { $in: page.map(({ _id }) => _id) } })
  }
}

async function removeMatching(db: Db, files: readonly FileDoc[], as: Filter<FileDoc>): Promise<number> {
  return inTransaction(db, async (session) => {
    const { deletedCount } = await db.files.deleteMany(as, { session })
    if (deletedCount === 0) return 0
    await noteFilesToClear(db, files, session)
    return deletedCount
  })
}

/** Records that the bytes of files must leave the store, inside the transaction that removes or refuses them. */
export async function noteFilesToClear(db: Db, files: readonly FileDoc[], session: Session): Promise<void> {
  const nextMS = clock.now()
  const rows = files.map(({ id, createdAtMS }) => ({
    updateOne: {
      filter: { _id: id },
      update: { $set: { nextMS, uploadUntilMS: createdAtMS + uploadWithinMS } },
      upsert: true,
    },
  }))
  await db.filesToClear.bulkWrite(rows, { session })
}

/** Records that the files of a room must be checked, inside the transaction that deletes it. */
export async function noteRoomToClear(
  db: Db,
  { app, id }: { app: string; id: string },
  session: Session,
): Promise<void> {
  const row = { $set: { nextMS: clock.now(), room: { app, id } } }
  await db.filesToClear.updateOne({ _id: key(app, id) }, row, { session, upsert: true })
}

/** Claims one piece of due work: no other process gets it until the lease has ended. */
export async function takeToClear(db: Db, nowMS: number): Promise<FilesToClearDoc | null> {
  return db.filesToClear.findOneAndUpdate(
    { nextMS: { $lte: nowMS } },
    { $set: { nextMS: clock.now() + leaseMS } },
    { sort: { nextMS: 1 }, returnDocument: 'after' },
  )
}

/** It is done. */
export async function removeToClear(db: Db, { _id }: FilesToClearDoc): Promise<void> {
  await db.filesToClear.deleteOne({ _id })
}

/** It is repeated at the given time. */
export async function clearAgain(db: Db, { _id }: FilesToClearDoc, nextMS: number): Promise<void> {
  await db.filesToClear.updateOne({ _id }, { $set: { nextMS } })
}
