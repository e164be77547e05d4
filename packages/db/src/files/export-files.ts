import { clock } from '@parley/async/clock'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { FileDoc } from './documents.ts'

/** How long an export can be downloaded. */
export const exportKeptMS = 24 * 60 * 60 * 1_000

/**
 * The owner key of a user's exports. They are deleted with the user, but do not count toward the user's storage limit.
 */
export function exportOwner(app: string, user: string): string {
  return key(app, 'export of', user)
}

/** Whether a file is an export, to which only its URL leads. */
export function isExport({ owner, ownerKey }: Pick<FileDoc, 'owner' | 'ownerKey'>): boolean {
  return owner === undefined && ownerKey !== undefined
}

/** Completes an export, kept for `exportKeptMS`. @returns false if another worker has, or its user was erased */
export async function finishExportFile(
  db: Db,
  { app, id }: { app: string; id: string },
  { stored, size }: { stored: string; size: number },
): Promise<boolean> {
  const isOpen = { _id: key(app, id), stored: { $exists: false } }
  const kept = { $set: { stored, size, checkAtMS: clock.now() + exportKeptMS } }
  const { matchedCount } = await db.files.updateOne(isOpen, kept)
  return matchedCount > 0
}

/** The uploaded files of a user, except those pending or refused by a scan. */
export async function* filesOfOwner(
  db: Db,
  app: string,
  owner: string,
): AsyncGenerator<Pick<FileDoc, 'id' | 'name'> & { stored: string }> {
  const found = db.files
    .find({ ownerKey: key(app, owner), stored: { $exists: true }, scan: { $exists: false } })
    .project<Pick<FileDoc, 'id' | 'name' | 'stored'>>({ _id: 0, id: 1, name: 1, stored: 1 })
  for await (const { id, name, stored } of found) if (stored !== undefined) yield { id, name, stored }
}
