import { createWriteStream } from 'node:fs'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type FolderStore, WrongSize } from './file-store.ts'
import { shownBytes } from './media-types.ts'

/** Keeps files in a folder, which is made with the first one. */
export function folderStore(root: string): FolderStore {
  // The last digits of an ID are a counter: they spread the files evenly.
  const folderOf = (id: string) => join(id.slice(-2), id)
  const pathOf = (id: string, upload: string) => join(folderOf(id), upload)
  return {
    kind: 'folder',
    root,
    pathOf,
    async write(id, upload, bytes, size) {
      const path = join(root, pathOf(id, upload))
      await mkdir(join(root, folderOf(id)), { recursive: true })
      try {
        // Synced: nobody hears that it is there before it is.
        await pipeline(exactly(bytes, size), createWriteStream(path, { flags: 'wx', flush: true }))
      } catch (error) {
        await rm(path, { force: true })
        throw error
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
    keep: (id, name, bytes) => writeFile(join(root, pathOf(id, name)), bytes, { flush: true }),
    removeUpload: (id, upload) => rm(join(root, pathOf(id, upload)), { force: true }),
    remove: (id) => rm(join(root, folderOf(id)), { recursive: true, force: true }),
  }
}

/** Passes on exactly so many bytes. Whatever goes wrong, the connection that they come from stays, for the answer. */
async function* exactly(bytes: Readable, size: number): AsyncGenerator<Buffer> {
  let count = 0
  for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    count += chunk.length
    if (count > size) throw new WrongSize(size, true)
    yield chunk
  }
  if (count < size) throw new WrongSize(size, false)
}
