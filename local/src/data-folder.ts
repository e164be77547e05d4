import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '@parley/files/make-folder'
import { StackError } from '@parley/stack/stack-error'

/** The default of PARLEY_STREAM_MAX_BYTES. */
const usualStreamBytes = 8 * 1024 ** 3
/** Share of the free space for the stream. NATS' default is three quarters (docs.nats.io, max_file_store). */
const streamShare = 0.4

/** A new MongoDB takes 300 MB, mostly for its journal, and exits when it runs out of space. */
const minFreeBytes = 500_000_000
const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a file is in the way',
  EEXIST: 'a file is in the way',
  ENOSPC: 'no space is left',
  EDQUOT: "the user's disk quota is used up",
}

/**
 * Creates the data folder and checks that it is writable and has enough free space, with clearer errors than the servers' logs.
 *
 * @param isFresh empties the folder first
 * @throws StackError with one sentence when a folder is not writable or space is short
 */
export async function prepareData(dir: string, isFresh: boolean): Promise<void> {
  try {
    // Keep the folder itself, which may be a mount point.
    if (isFresh && existsSync(dir))
      for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true })
    // Folders may belong to another user who ran Parley before.
    for (const folder of ['.', 'mongo', 'nats', 'redis', 'logs', 'files']) await tryWriting(join(dir, folder))
  } catch (error) {
    const { code = '', message, path = dir } = error as NodeJS.ErrnoException
    const reason = reasons[code] ?? message
    throw new StackError(`Parley cannot write to its data folder (${path}): ${reason}. Choose another with --data.`, {
      cause: error,
    })
  }
  const { bavail, bsize } = statfsSync(dir)
  const free = bavail * bsize
  if (free < minFreeBytes) {
    const [has, needs] = [free, minFreeBytes].map((bytes) => `${Math.floor(bytes / 1e6)} MB`)
    throw new StackError(
      `The data folder ${dir} has ${has} of free space, but Parley needs ${needs}. Choose another with --data.`,
    )
  }
}

async function tryWriting(folder: string): Promise<void> {
  await makeFolder(folder)
  const file = join(folder, '.parley-writes')
  writeFileSync(file, 'x')
  rmSync(file)
}

/** The stream's size in bytes if the disk has no room for the default size, otherwise undefined. */
export function smallerStreamBytes(dir: string): number | undefined {
  const { bavail, bsize } = statfsSync(dir)
  const bytes = Math.floor(bavail * bsize * streamShare)
  return bytes < usualStreamBytes ? bytes : undefined
}
