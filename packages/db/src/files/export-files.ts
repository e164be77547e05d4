import { clock } from '@parley/async/clock'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { FileDoc } from './documents.ts'

/** How long an export can be fetched. */
export const exportKeptMS = 24 * 60 * 60 * 1_000

/** The owner of the exports of a user: they go with the user, and count for no limit of theirs. */
export function exportOwner(app: string, user: string): string {
  return key(app, 'export of', user)
}

/** The export is whole: it stays for a day. */
export async function finishExportFile(
  db: Db,
  { app, id }: { app: string; id: string },
  { stored, size }: { stored: string; size: number },
): Promise<void> {
  await db.files.updateOne({ _id: key(app, id) }, { $set: { stored, size, lookAtMS: clock.now() + exportKeptMS } })
}

/** The uploaded files of a user. */
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
