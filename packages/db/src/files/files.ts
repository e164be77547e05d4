import { clock } from '@parley/async/clock'
import type { ClientSession, Filter, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { Attachment } from './attachment.ts'
import type { FileDoc } from './documents.ts'
import { noteFilesToClear } from './files-to-clear.ts'

export const fileIndexes: IndexDescription[] = [
  { key: { lookAtMS: 1 } },
  { key: { ownerKey: 1, size: 1 }, partialFilterExpression: { ownerKey: { $exists: true } } },
]

/** A file that nothing refers to stays so long after it was announced. */
export const unsentMS = 24 * 60 * 60 * 1_000
/** Longer than a send takes, which gives up after 10 s. */
const holdMS = 60_000
/** Longer than looking at one file takes. */
export const lookLeaseMS = 60_000

export async function insertFile(db: Db, file: FileDoc): Promise<void> {
  await db.files.insertOne(file)
}

export async function findFile(db: Db, app: string, id: string): Promise<FileDoc | null> {
  return db.files.findOne({ _id: key(app, id) })
}

/** The bytes of all files of a user, uploaded or not. */
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
 * Notes that an upload of a file begins: from now on no earlier one is taken. Returns the name of the one that had begun
 * last, if any; null when the file has its content, or is gone.
 */
export async function beginUpload(
  db: Db,
  { _id }: Pick<FileDoc, '_id'>,
  uploading: string,
): Promise<{ before?: string | undefined } | null> {
  const before = await db.files.findOneAndUpdate({ _id, stored: { $exists: false } }, { $set: { uploading } })
  return before && { before: before.uploading }
}

/**
 * Takes an upload as the content of the file; false when a newer one has begun, another was taken before, or the file
 * is gone.
 * @param todo work before it is given out, and soon after
 */
export async function takeStored(
  db: Db,
  { _id }: Pick<FileDoc, '_id'>,
  stored: string,
  { size, isToScan, wantsThumbnail }: { size: number; isToScan: boolean; wantsThumbnail: boolean },
): Promise<boolean> {
  const taken = {
    stored,
    size,
    ...(isToScan && { scan: 'pending' as const }),
    ...(wantsThumbnail && { wantsThumbnail: true as const }),
    ...((isToScan || wantsThumbnail) && { lookAtMS: clock.now() }),
  }
  const asLong = { _id, stored: { $exists: false }, uploading: stored }
  const { modifiedCount } = await db.files.updateOne(asLong, { $set: taken, $unset: { uploading: 1 } })
  return modifiedCount === 1
}

/** A file that was taken and scanned is given out. */
export async function releaseFile(db: Db, file: FileDoc): Promise<void> {
  const nextMS = file.wantsThumbnail ? clock.now() : nextLook(file)
  await finishLook(db, file, { scan: 'pending' }, { $unset: { scan: 1 } }, nextMS)
}

/** A file that was taken and scanned is never given out; its bytes follow. */
export async function refuseFile(db: Db, file: FileDoc): Promise<void> {
  await inTransaction(db, async (session) => {
    const refused = { $set: { scan: 'refused' as const } }
    const isDone = await finishLook(db, file, { scan: 'pending' }, refused, nextLook(file), session)
    if (isDone) await noteFilesToClear(db, [file], session)
  })
}

/** Counts that the thumbnail of a file is begun; returns how often that was. */
export async function countThumbnailTry(db: Db, { _id }: FileDoc): Promise<number> {
  const counted = await db.files.findOneAndUpdate({ _id }, { $inc: { thumbnailTries: 1 } }, { returnDocument: 'after' })
  return counted?.thumbnailTries ?? 0
}

/** No try counts: the picture killed no process. */
export async function forgetThumbnailTries(db: Db, { _id }: FileDoc): Promise<void> {
  await db.files.updateOne({ _id }, { $unset: { thumbnailTries: 1 } })
}

/** The thumbnail of a file that was taken is made, or there is none. False when the file is gone. */
export async function setThumbnail(db: Db, file: FileDoc, thumbnail: FileDoc['thumbnail']): Promise<boolean> {
  const made = { $unset: { wantsThumbnail: 1, thumbnailTries: 1 }, ...(thumbnail && { $set: { thumbnail } }) } as const
  return finishLook(db, file, {}, made, nextLook(file))
}

/**
 * Writes the result of looking at a file, and the time of the next look, unless an earlier one was requested. One
 * write: after a kill between two, a file that waits to be sent would be looked at too soon, and removed. False when
 * the file is gone, or has changed.
 */
async function finishLook(
  db: Db,
  { _id, lookAtMS }: FileDoc,
  asLong: Filter<FileDoc>,
  done: { $set?: Partial<FileDoc>; $unset?: Partial<Record<keyof FileDoc, 1>> },
  nextMS: number,
  session?: ClientSession,
): Promise<boolean> {
  const options = { ...(session && { session }) }
  const next = { ...done, $set: { ...done.$set, lookAtMS: nextMS } }
  const { matchedCount } = await db.files.updateOne({ ...asLong, _id, lookAtMS }, next, options)
  return matchedCount > 0 || (await db.files.updateOne({ ...asLong, _id }, done, options)).matchedCount > 0
}

/** A file that no message has lost stays as long as others that are never sent, also when a send of it was refused. */
function nextLook({ createdAtMS, heldUntilMS = 0, lost }: FileDoc): number {
  return Math.max(heldUntilMS, lost ? clock.now() : createdAtMS + unsentMS)
}

/**
 * The files of a send, in their present state; none is removed while a send may run.
 * @param of the owner: this user, and with `orNobody` the integrator
 */
export async function holdFiles(
  db: Db,
  ids: readonly string[],
  { app, owner, orNobody }: { app: string; owner: string; orNobody: boolean },
): Promise<FileDoc[]> {
  const owners = [key(app, owner), ...(orNobody ? [null] : [])]
  // null stands for a field that is not there.
  const named = { _id: { $in: ids.map((id) => key(app, id)) }, ownerKey: { $in: owners as string[] } }
  await db.files.updateMany(named, { $max: { heldUntilMS: clock.now() + holdMS } })
  return db.files.find(named).toArray()
}

/** The files of these IDs, whosever they are. @param hold none is removed while messages with them are written */
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

const toLookAt: Record<'toScan' | 'others', Filter<FileDoc>> = {
  toScan: { scan: 'pending' },
  others: { $or: [{ scan: 'refused' }, { scan: { $exists: false }, wantsThumbnail: { $exists: false } }] },
}

/**
 * Takes a file that is due, of those to scan or of the others; no other process takes it for a while. Pictures that
 * wait for their thumbnails are taken in turns (waiting-pictures.ts).
 */
export async function takeFileToLookAt(db: Db, nowMS: number, which: keyof typeof toLookAt): Promise<FileDoc | null> {
  return db.files.findOneAndUpdate(
    { ...toLookAt[which], lookAtMS: { $lte: nowMS } },
    { $set: { lookAtMS: nowMS + lookLeaseMS } },
    { sort: { lookAtMS: 1 }, returnDocument: 'after' },
  )
}

/** Has a file that was taken looked at again at a time, unless somebody wants it sooner. */
export async function lookAtAgain(db: Db, { _id, lookAtMS }: FileDoc, againMS: number): Promise<void> {
  await db.files.updateOne({ _id, lookAtMS }, { $set: { lookAtMS: againMS } })
}

/** Files that were to be sent stay as long as others that are never sent, unless something else refers to them. */
export async function releaseFiles(db: Db, app: string, files: readonly Pick<Attachment, 'fileID'>[]): Promise<void> {
  if (files.length === 0) return
  const _id = { $in: files.map(({ fileID }) => key(app, fileID)) }
  const nothingToDo = { scan: { $ne: 'pending' as const }, wantsThumbnail: { $exists: false } }
  await db.files.updateMany({ _id, ...nothingToDo }, { $set: { lookAtMS: clock.now() + unsentMS } })
}

/** Has the files of messages that lose them looked at soon, inside the transaction that takes them out. */
export async function lookAtFiles(
  db: Db,
  app: string,
  attachments: readonly Pick<Attachment, 'fileID'>[],
  session?: ClientSession,
): Promise<void> {
  if (attachments.length === 0) return
  const named = { _id: { $in: attachments.map(({ fileID }) => key(app, fileID)) } }
  await db.files.updateMany(named, { $set: { lookAtMS: clock.now(), lost: true } }, { ...(session && { session }) })
}
