import { type Archive, type BackupPlace, BadBackup, manifestFile, readManifest } from './archive.ts'

/** The name of a backup: the time of the command in ISO 8601, so names sort by time. */
export function backupName(at: Date): string {
  return at.toISOString().replaceAll(':', '-')
}

const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/

/**
 * Removes the backups of a place that are older than its latest `keep` whole ones. Nothing else in it is touched.
 * @returns the names of the removed ones
 */
export async function keepLatest(place: BackupPlace, open: (name: string) => Archive, keep: number): Promise<string[]> {
  const names = (await place.names())
    .filter((name) => namePattern.test(name))
    .toSorted()
    .toReversed()
  let whole = 0
  let at = 0
  for (; at < names.length && whole < keep; at++) if (await isWhole(open(names[at] ?? ''))) whole++
  const old = names.slice(at)
  for (const name of old) await place.remove(name, manifestFile)
  return old
}

async function isWhole(archive: Archive): Promise<boolean> {
  try {
    await readManifest(archive)
    return true
  } catch (error) {
    if (error instanceof BadBackup) return false
    throw error
  }
}
