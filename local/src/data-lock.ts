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
 * @throws StackError when another process holds the lock
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
