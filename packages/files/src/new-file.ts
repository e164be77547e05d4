import { unlink } from 'node:fs/promises'

/** Writes a new file. If that fails, removes it and names it in an error of the system, such as that the disk is full. */
export async function writeNewFile<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    await unlink(file).catch(() => undefined)
    if (error instanceof Error && 'syscall' in error && !('path' in error)) error.message += ` '${file}'`
    throw error
  }
}
