import { createHash } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve as resolvePath } from 'node:path'
import { StackError } from '@parley/stack/stack-error'

/**
 * Locks a data directory until this process exits, because a second `npm start` on the same data would corrupt it. The
 * lock is a listening socket, so a killed process leaves none behind.
 *
 * @throws StackError when another process holds the lock, or the temporary folder cannot be used
 */
export async function lockData(dir: string): Promise<void> {
  const name = createHash('sha256')
    .update(realPath(resolvePath(dir)))
    .digest('hex')
    .slice(0, 16)
  const path = join(tmpdir(), `parley-${process.getuid?.() ?? 0}-${name}.sock`)
  if (await isListening(path)) {
    throw new StackError(
      `Parley is running already on the data in ${dir}: stop it first, or choose another directory with --data.`,
    )
  }
  rmSync(path, { force: true })
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    // Also for a missing folder, the code of listen() is EACCES.
    const reason = error.code === 'EACCES' ? 'it is missing, or this user may not write there' : error.message
    throw new StackError(`Parley cannot use the temporary folder (${tmpdir()}): ${reason}. Set TMPDIR to another.`, {
      cause: error,
    })
  })
  server.unref()
  process.once('exit', () => rmSync(path, { force: true }))
}

/** Resolves symbolic links, also of a path whose end does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) return path
    return join(realPath(dirname(path)), basename(path))
  }
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
