import type { Filter, IndexDescription } from 'mongodb'
import { changeFirst } from '../claim-docs.ts'
import type { Db } from '../db.ts'
import type { FileDoc } from './documents.ts'
import { checkLeaseMS } from './files.ts'

/** Pictures that wait for their thumbnails, by app and owner. */
export const waitingPictureIndexes: IndexDescription[] = [
  { key: { app: 1, ownerKey: 1, checkAtMS: 1 }, partialFilterExpression: { wantsThumbnail: true } },
]

const due = (nowMS: number): Filter<FileDoc> => ({
  ...{ wantsThumbnail: true, checkAtMS: { $lte: nowMS } },
  scan: { $exists: false },
})

/** The first app after `after`, by ID, with a picture due at `nowMS`. */
export async function appWithPicture(db: Db, nowMS: number, after: string): Promise<string | undefined> {
  const found = await db.files.findOne(
    { ...due(nowMS), app: { $gt: after } },
    { sort: { app: 1 }, projection: { app: 1 } },
  )
  return found?.app
}

/** Leases the oldest due picture of the next owner after `afterOwner`. The integrator's own sort first. */
export async function takePicture(db: Db, nowMS: number, app: string, afterOwner?: string): Promise<FileDoc | null> {
  return changeFirst(
    db.files,
    { ...due(nowMS), app, ...(afterOwner !== undefined && { ownerKey: { $gt: afterOwner } }) },
    { $set: { checkAtMS: nowMS + checkLeaseMS } },
    { sort: { ownerKey: 1, checkAtMS: 1 } },
  )
}
