import { clock } from '@parley/async/clock'
import type { Filter, IndexDescription } from 'mongodb'
import { changeFirst } from '../claim-docs.ts'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { Attachment, FileDoc } from './documents.ts'
import { queueFilesToClear } from './files-to-clear.ts'

export const fileIndexes: IndexDescription[] = [
  { key: { checkAtMS: 1 } },
  { key: { ownerKey: 1, size: 1 }, partialFilterExpression: { ownerKey: { $exists: true } } },
]

/** An unreferenced file is kept this long after its creation. */
export const unsentMS = 24 * 60 * 60 * 1_000
/** Longer than a send, which gives up after 10 s. */
const holdMS = 60_000
/** Longer than the check of one file. */
export const checkLeaseMS = 60_000

export async function insertFile(db: Db, file: FileDoc, session?: Session): Promise<void> {
  await db.files.insertOne(file, session && { session })
}

export async function findFile(db: Db, app: string, id: string): Promise<FileDoc | null> {
  return db.files.findOne({ _id: key(app, id) })
}

/** Changes the name, type and size of a file that has no content yet. */
export async function correctFile(db: Db, { _id, name, type, size }: FileDoc): Promise<void> {
  await db.files.updateOne({ _id, stored: { $exists: false } }, { $set: { name, type, size } })
}

/** The total bytes of a user's files, uploaded or not. */
export async function bytesOfOwner(db: Db, app: string, owner: string): Promise<number> {
  const [sum] = await db.files
    .aggregate<{ bytes: number }>([
      { $match: { ownerKey: key(app, owner) } },
      { $group: { _id: null, bytes: { $sum: '$size' } } },
    ])
    .toArray()
  return sum?.bytes ?? 0
}

/**
 * Records that an upload begins; earlier uploads are no longer accepted. Returns the store name of the previous upload,
 * if any; null if the file already has its content, or does not exist.
 */
export async function beginUpload(
  db: Db,
  { _id }: Pick<FileDoc, '_id'>,
  uploading: string,
): Promise<{ before?: string | undefined } | null> {
  const before = await db.files.findOneAndUpdate({ _id, stored: { $exists: false } }, { $set: { uploading } })
  return before && { before: before.uploading }
}

interface Taken {
  size: number
  thumbnail?: FileDoc['thumbnail'] | undefined
  isToScan: boolean
  wantsThumbnail: boolean
}

/** Accepts an upload as content. False if a newer one has begun, one was accepted, or the file does not exist. */
export async function takeStored(
  db: Db,
  { _id }: Pick<FileDoc, '_id'>,
  stored: string,
  { size, isToScan, wantsThumbnail, thumbnail }: Taken,
): Promise<boolean> {
  const taken = {
    stored,
    size,
    ...(isToScan && { scan: 'pending' as const }),
    ...(wantsThumbnail && { wantsThumbnail: true as const }),
    ...(thumbnail && { thumbnail }),
    ...((isToScan || wantsThumbnail) && { checkAtMS: clock.now() }),
  }
  const current = { _id, stored: { $exists: false }, uploading: stored }
  const { modifiedCount } = await db.files.updateOne(current, { $set: taken, $unset: { uploading: 1 } })
  return modifiedCount === 1
}

/** Releases an accepted, scanned file for delivery. */
export async function releaseFile(db: Db, file: FileDoc): Promise<void> {
  const nextMS = file.wantsThumbnail ? clock.now() : nextCheck(file)
  await finishCheck(db, file, { scan: 'pending' }, { $unset: { scan: 1 } }, nextMS)
}

/** Refuses an accepted, scanned file permanently, and queues its bytes for deletion. */
export async function refuseFile(db: Db, file: FileDoc): Promise<void> {
  await inTransaction(db, async (session) => {
    const refused = { $set: { scan: 'refused' as const } }
    const isDone = await finishCheck(db, file, { scan: 'pending' }, refused, nextCheck(file), session)
    if (isDone) await queueFilesToClear(db, [file], session)
  })
}

/** Counts an attempt to make a file's thumbnail. Returns the number of attempts. */
export async function countThumbnailTry(db: Db, { _id }: FileDoc): Promise<number> {
  const counted = await db.files.findOneAndUpdate({ _id }, { $inc: { thumbnailTries: 1 } }, { returnDocument: 'after' })
  return counted?.thumbnailTries ?? 0
}

/** Resets the attempts, since the picture did not crash the process. */
export async function forgetThumbnailTries(db: Db, { _id }: FileDoc): Promise<void> {
  await db.files.updateOne({ _id }, { $unset: { thumbnailTries: 1 } })
}

/** Records the thumbnail of an accepted file, or that it has none. False if the file does not exist. */
export async function setThumbnail(db: Db, file: FileDoc, thumbnail: FileDoc['thumbnail']): Promise<boolean> {
  const made = { $unset: { wantsThumbnail: 1, thumbnailTries: 1 }, ...(thumbnail && { $set: { thumbnail } }) } as const
  return finishCheck(db, file, {}, made, nextCheck(file))
}

/**
 * Records the result of a check and the time of the next check, unless an earlier check was requested. One write: after
 * a kill between two, an unsent file would be checked too soon, and removed. False if the file does not exist, or no
 * longer matches `expected`.
 */
async function finishCheck(
  db: Db,
  { _id, checkAtMS }: FileDoc,
  expected: Filter<FileDoc>,
  done: { $set?: Partial<FileDoc>; $unset?: Partial<Record<keyof FileDoc, 1>> },
  nextMS: number,
  session?: Session,
): Promise<boolean> {
  const options = { ...(session && { session }) }
  const next = { ...done, $set: { ...done.$set, checkAtMS: nextMS } }
  const { matchedCount } = await db.files.updateOne({ ...expected, _id, checkAtMS }, next, options)
  return matchedCount > 0 || (await db.files.updateOne({ ...expected, _id }, done, options)).matchedCount > 0
}

/** Unless a message lost the file, it is kept like an unsent one, even if its send was refused. */
function nextCheck({ createdAtMS, heldUntilMS = 0, lost }: FileDoc): number {
  return Math.max(heldUntilMS, lost ? clock.now() : createdAtMS + unsentMS)
}

/** The files of a send, kept while it can still run: those of `owner`, and with `orIntegrator` the integrator's. */
export async function holdFiles(
  db: Db,
  ids: readonly string[],
  { app, owner, orIntegrator }: { app: string; owner: string; orIntegrator: boolean },
): Promise<FileDoc[]> {
  const owners = [key(app, owner), ...(orIntegrator ? [null] : [])]
  // null matches a missing field.
  const named = { _id: { $in: ids.map((id) => key(app, id)) }, ownerKey: { $in: owners as string[] } }
  await db.files.updateMany(named, { $max: { heldUntilMS: clock.now() + holdMS } })
  return db.files.find(named).toArray()
}

/** Files by ID, of any owner. @param hold keeps them from being removed while messages with them are written */
export async function findFiles(
  db: Db,
  app: string,
  ids: readonly string[],
  { hold }: { hold: boolean },
): Promise<FileDoc[]> {
  if (ids.length === 0) return []
  const named = { _id: { $in: ids.map((id) => key(app, id)) } }
  if (hold) await db.files.updateMany(named, { $max: { heldUntilMS: clock.now() + holdMS } })
  return db.files.find(named).toArray()
}

const toCheck: Record<'toScan' | 'others', Filter<FileDoc>> = {
  toScan: { scan: 'pending' },
  others: { $or: [{ scan: 'refused' }, { scan: { $exists: false }, wantsThumbnail: { $exists: false } }] },
}

/**
 * Claims a due file, either to scan or to check. No other process can claim it until the lease expires. Pictures that
 * wait for a thumbnail are claimed by takePicture, in turns per owner.
 */
export async function claimFileToCheck(db: Db, nowMS: number, which: keyof typeof toCheck): Promise<FileDoc | null> {
  return changeFirst(
    db.files,
    { ...toCheck[which], checkAtMS: { $lte: nowMS } },
    { $set: { checkAtMS: nowMS + checkLeaseMS } },
    { sort: { checkAtMS: 1 } },
  )
}

/** Schedules the next check of a claimed file, unless an earlier check was requested. */
export async function postponeCheck(db: Db, { _id, checkAtMS }: FileDoc, againMS: number): Promise<void> {
  await db.files.updateOne({ _id, checkAtMS }, { $set: { checkAtMS: againMS } })
}

/** Keeps the files of cancelled sends as long as unsent ones. */
export async function releaseFiles(db: Db, app: string, files: readonly Pick<Attachment, 'fileID'>[]): Promise<void> {
  if (files.length === 0) return
  const _id = { $in: files.map(({ fileID }) => key(app, fileID)) }
  const nothingToDo = { scan: { $ne: 'pending' as const }, wantsThumbnail: { $exists: false } }
  await db.files.updateMany({ _id, ...nothingToDo }, { $set: { checkAtMS: clock.now() + unsentMS } })
}

/** Schedules a prompt check of files. Call in the transaction that removes their messages. */
export async function checkFilesSoon(
  db: Db,
  app: string,
  attachments: readonly Pick<Attachment, 'fileID'>[],
  session?: Session,
): Promise<void> {
  if (attachments.length === 0) return
  const named = { _id: { $in: attachments.map(({ fileID }) => key(app, fileID)) } }
  await db.files.updateMany(named, { $set: { checkAtMS: clock.now(), lost: true } }, { ...(session && { session }) })
}
