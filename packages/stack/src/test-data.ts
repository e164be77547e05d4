import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
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
export function makeTestDataDir(): string {
  const name = `${ours}${process.pid}-`
  if (!hasRoom()) return mkdtempSync(join(tmpdir(), name))
  removeLeftOver()
  return mkdtempSync(join(inMemory, name))
}

function hasRoom(): boolean {
  if (!existsSync(inMemory)) return false
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= roomBytes && freemem() >= roomBytes
}

/** Removes the directories of killed processes. */
function removeLeftOver(): void {
  const names = readdirSync(inMemory).filter((name) => name.startsWith(ours))
  for (const name of names) {
    if (!hasEnded(Number.parseInt(name.slice(ours.length), 10))) continue
    rmSync(join(inMemory, name), { recursive: true, force: true })
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
