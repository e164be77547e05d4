import { clock } from '@parley/async/clock'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { FileDoc, FilesToClearDoc } from './documents.ts'
import { exportOwner } from './export-files.ts'

export const filesToClearIndexes: IndexDescription[] = [{ key: { nextMS: 1 } }]

/** Longer than any one cleanup takes. */
const leaseMS = 60_000
/** How long after its creation a file can be uploaded. */
export const uploadWithinMS = 60 * 60 * 1_000
const perTransaction = 200

/** Removes a file if it is unchanged since it was read, and queues its bytes for deletion. Returns whether it did. */
export async function removeFile(db: Db, file: FileDoc): Promise<boolean> {
  const { _id, checkAtMS, heldUntilMS } = file
  return (await removeMatching(db, [file], { _id, checkAtMS, heldUntilMS: heldUntilMS ?? { $exists: false } })) === 1
}

/** Removes all files of a user, referenced or not, and the user's exports. */
export async function removeFilesOf(db: Db, app: string, owner: string): Promise<void> {
  await removePages(db, { ownerKey: { $in: [key(app, owner), exportOwner(app, owner)] } })
}

/** Removes all files of an app, and the pending cleanup of its rooms. Returns the number of deleted documents. */
export async function removeFilesOfApp(db: Db, app: string): Promise<number> {
  const { deletedCount } = await db.filesToClear.deleteMany({ _id: keyRange(app) })
  return deletedCount + (await removePages(db, { _id: keyRange(app) }))
}

async function removePages(db: Db, of: Filter<FileDoc>): Promise<number> {
  let removed = 0
  for (;;) {
    const page = await db.files.find(of).limit(perTransaction).toArray()
    if (page.length === 0) return removed
    removed += await removeMatching(db, page, { _id: { $in: idsOf(page) } })
  }
}

async function removeMatching(db: Db, files: readonly FileDoc[], as: Filter<FileDoc>): Promise<number> {
  return inTransaction(db, async (session) => {
    const { deletedCount } = await db.files.deleteMany(as, { session })
    if (deletedCount === 0) return 0
    await queueFilesToClear(db, files, session)
    return deletedCount
  })
}

/** Queues the files' bytes for deletion from the store. Call in the transaction that removes or refuses the files. */
export async function queueFilesToClear(db: Db, files: readonly FileDoc[], session: Session): Promise<void> {
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

/** Queues a check of a room's files. Call in the transaction that deletes the room. */
export async function queueRoomToClear(
  db: Db,
  { app, id }: { app: string; id: string },
  session: Session,
): Promise<void> {
  const row = { $set: { nextMS: clock.now(), room: { app, id } } }
  await db.filesToClear.updateOne({ _id: key(app, id) }, row, { session, upsert: true })
}

/** Claims one due cleanup. No other process can claim it until the lease expires. */
export async function takeToClear(db: Db, nowMS: number): Promise<FilesToClearDoc | null> {
  return db.filesToClear.findOneAndUpdate(
    { nextMS: { $lte: nowMS } },
    { $set: { nextMS: clock.now() + leaseMS } },
    { sort: { nextMS: 1 }, returnDocument: 'after' },
  )
}

export async function removeToClear(db: Db, { _id }: FilesToClearDoc): Promise<void> {
  await db.filesToClear.deleteOne({ _id })
}

export async function postponeClearing(db: Db, { _id }: FilesToClearDoc, nextMS: number): Promise<void> {
  await db.filesToClear.updateOne({ _id }, { $set: { nextMS } })
}
