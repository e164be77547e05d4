import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { StackError } from './stack-error.ts'

/**
 * A directory in `$XDG_CACHE_HOME/parley` (by default `~/.cache/parley`), shared by all clones. Filled on the first
 * call.
 *
 * @param fetch downloads into a fresh directory, which is removed afterwards, and returns the part to keep
 * @throws the error of `fetch`, or StackError if the download cannot be stored
 */
export async function cachedDownload(
  name: string,
  env: NodeJS.ProcessEnv,
  fetch: (fresh: string, dir: string) => Promise<string>,
): Promise<string> {
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley')
  const dir = join(cache, name)
  if (await exists(dir)) return dir
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(`${dir}-`)
  try {
    const kept = await fetch(fresh, dir)
    await rename(kept, dir).catch(async (error: unknown) => {
      // Another process may have finished the same download first.
      if (!(await exists(dir)))
        throw new StackError(`The download could not be kept: ${String(error)}`, { cause: error })
    })
    return dir
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
