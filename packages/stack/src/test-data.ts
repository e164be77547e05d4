import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { freemem, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
/** Includes the host name: containers can share /dev/shm, but have their own process IDs. */
const ours = `parley-test-${hostname()}-`
/** Many times the data of a full test run. */
const roomBytes = 6 * 1024 ** 3

/**
 * Creates a directory for the data of servers that end with this process. In memory if there is plenty, since a new
 * database has a hundred files, and every write would wait for the disk. The data survives if a server is killed.
 */
export async function makeTestDataDir(): Promise<string> {
  const name = `${ours}${process.pid}-`
  if (!(await hasRoom())) return mkdtemp(join(tmpdir(), name))
  await removeLeftOver()
  return mkdtemp(join(inMemory, name))
}

async function hasRoom(): Promise<boolean> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= roomBytes && freemem() >= roomBytes
}

/** Removes the directories of killed processes. */
async function removeLeftOver(): Promise<void> {
  const names = (await readdir(inMemory)).filter((name) => name.startsWith(ours))
  for (const name of names) {
    if (!hasEnded(Number.parseInt(name.slice(ours.length), 10))) continue
    await rm(join(inMemory, name), { recursive: true, force: true })
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
