import { createWriteStream } from 'node:fs'
import { access, mkdtemp, open, readFile, rm, rmdir, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type FolderStore, StoreFull, UploadRemoved, WrongSize } from './file-store.ts'
import { makeFolder } from './make-folder.ts'
import { shownBytes } from './media-types.ts'

/** How often to check that an upload is still wanted and fits. */
const checkEveryBytes = 1024 * 1024
const checkEveryMS = 1_000

/** Stores files in a folder, which is created on first use. @param minFreeBytes free space that uploads must leave */
export function folderStore(root: string, minFreeBytes = 0): FolderStore {
  // The last digits of an ID are a counter, so they spread files evenly.
  const folderOf = (id: string) => join(id.slice(-2), id)
  const pathOf = (id: string, upload: string) => join(folderOf(id), upload)

  async function checkRoom(bytes: number): Promise<void> {
    await makeFolder(root)
    const { bavail, bsize } = await statfs(root)
    const free = bavail * bsize
    if (free - bytes < minFreeBytes) throw new StoreFull(`${free} bytes are free, ${minFreeBytes} must stay free`)
  }

  return {
    kind: 'folder',
    root,
    pathOf,
    checkRoom,
    async write(id, upload, bytes, size, signal) {
      await checkRoom(size)
      const path = join(root, pathOf(id, upload))
      await makeFolder(join(root, folderOf(id)))
      const check = async (left: number) => {
        await access(path).catch((cause: unknown) => {
          throw new UploadRemoved('the upload was removed', { cause })
        })
        await checkRoom(left)
      }
      try {
        // Synced: a file is announced only once it is on disk.
        await pipeline(exactly(bytes, size, check, signal), createWriteStream(path, { flags: 'wx', flush: true }))
      } catch (error) {
        await rm(path, { force: true })
        throw isFull(error) ? new StoreFull('no space is left', { cause: error }) : error
      }
    },
    async firstBytes(id, upload) {
      const file = await open(join(root, pathOf(id, upload)))
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(shownBytes), 0, shownBytes, 0)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    readAll: (id, upload) => readFile(join(root, pathOf(id, upload))),
    async read(id, upload) {
      const file = await open(join(root, pathOf(id, upload)))
      return file.createReadStream()
    },
    async keep(id, name, bytes) {
      await makeFolder(join(root, folderOf(id)))
      await writeFile(join(root, pathOf(id, name)), bytes, { flush: true })
    },
    async keepStream(id, name, bytes) {
      try {
        await makeFolder(join(root, folderOf(id)))
      } catch (error) {
        bytes.destroy()
        throw error
      }
      const file = createWriteStream(join(root, pathOf(id, name)), { flush: true })
      await pipeline(bytes, file)
      return file.bytesWritten
    },
    removeUpload: (id, upload) => rm(join(root, pathOf(id, upload)), { force: true }),
    remove: (id) => rm(join(root, folderOf(id)), { recursive: true, force: true }),
  }
}

/**
 * Creates the folder of a store if it is missing. A full disk is no error: uploads are refused until there is space.
 * @throws the system's error if nothing can be created in it
 */
export async function checkFolder(root: string): Promise<void> {
  try {
    await makeFolder(root)
    await rmdir(await mkdtemp(join(root, '.check-')))
  } catch (error) {
    if (!isFull(error)) throw error
  }
}

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Passes on exactly `size` bytes. After a failure, the connection stays open for the response.
 * @param check called regularly with the number of remaining bytes
 */
async function* exactly(
  bytes: Readable,
  size: number,
  check: (left: number) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let count = 0
  let checked = { count, atMS: performance.now() }
  for await (const chunk of untilAborted(bytes, signal)) {
    count += chunk.length
    if (count > size) throw new WrongSize(size, true)
    yield chunk
    if (count - checked.count < checkEveryBytes && performance.now() - checked.atMS < checkEveryMS) continue
    await check(size - count)
    checked = { count, atMS: performance.now() }
  }
  if (count < size) throw new WrongSize(size, false)
}

/** @throws the signal's reason, even while no bytes arrive */
async function* untilAborted(bytes: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  aborted.catch(() => undefined)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  const chunks = bytes.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
  try {
    for (;;) {
      const next = chunks.next()
      // It can reject after the race is over.
      next.catch(() => undefined)
      const { done, value } = await Promise.race([next, aborted])
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // The listener of a pending read would keep other readers from the rest.
    bytes.removeAllListeners('readable')
  }
}
