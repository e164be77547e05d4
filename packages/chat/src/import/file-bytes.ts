import { createHash } from 'node:crypto'
import { constants, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportOf } from '@parley/contracts/import-line'
import { exportedPath, thumbnailPath } from '../export/exported-name.ts'

type FileLine = ImportOf<'file'>

/** The bytes of a file are missing, or not those of its line. */
export class FileFault extends Error {
  override name = 'FileFault'
}

// A link in an export from elsewhere could lead to any file of this machine, and a pipe never end.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Larger ones are no thumbnails of Parley. */
const maxThumbnailBytes = 1024 * 1024

export function hasBytes({ status }: FileLine): boolean {
  return status !== 'refused' && status !== 'gone'
}

/**
 * Reads a file that lies beside the lines, and verifies its size and SHA-256 by the end.
 * @param folder of the lines
 * @throws FileFault
 */
export function bytesOf(folder: string, line: FileLine): AsyncGenerator<Buffer> {
  const { _id: id, name, size, sha256 } = line
  const at = exportedPath({ id, name })
  return verified(folder, at, { size, sha256 })
}

/** The thumbnail of a file; undefined if there is none, or it is damaged, since another one can be made. */
export async function thumbnailOf(folder: string, { _id, thumbnail }: FileLine): Promise<Buffer | undefined> {
  if (!thumbnail) return undefined
  const chunks: Buffer[] = []
  try {
    const bytes = verified(folder, thumbnailPath(_id), thumbnail)
    for await (const chunk of bytes) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof FileFault) return undefined
    throw error
  }
}

/** @param at the path in the folder */
async function* verified(
  folder: string,
  at: string,
  { size, sha256 }: { size?: number; sha256?: string | undefined },
): AsyncGenerator<Buffer> {
  const file = await open(join(folder, at), flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new FileFault(`${at}: is missing`)
    if (error.code === 'ELOOP') throw new FileFault(`${at}: is a link`)
    throw error
  })
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new FileFault(`${at}: is not a file`)
    if (found.size !== (size ?? found.size)) throw new FileFault(`${at}: has ${found.size} bytes, expected ${size}`)
    if (size === undefined && found.size > maxThumbnailBytes) throw new FileFault(`${at}: is too large`)
    const hash = createHash('sha256')
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      yield chunk
    }
    if (sha256 !== undefined && hash.digest('hex') !== sha256) {
      throw new FileFault(`${at}: is damaged: its SHA-256 is not that of its line`)
    }
  } finally {
    await file.close()
  }
}
