import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its missing parents. Node's recursive mkdir loops forever below /proc, where mkdir reports a
 * missing parent although it exists.
 * @throws the system's error, or an Error that names the parent
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path)
  if (await isMade(folder)) return
  await makeFolder(dirname(folder))
  if (!(await isMade(folder))) throw new Error(`no folder can be created in ${dirname(folder)}`)
}

/** @returns false if a parent is missing */
async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return true
    if (code === 'ENOENT') return false
    throw error
  }
}
