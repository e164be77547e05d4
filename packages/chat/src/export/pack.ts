import { Readable } from 'node:stream'
import type { Db } from '@parley/db/connect'
import { filesOfOwner } from '@parley/db/files/export-files'
import type { FileStore } from '@parley/files/file-store'
import { writeZip, type ZipEntry } from '@parley/files/zip'

/** The name of a piece of an export in the store, by its number. */
export const pieceName = (number: number): string => `piece-${number}`

interface ToPack {
  app: string
  user: string
  file: string
  stored: string
  /** The ZIP entry of each piece. */
  pieces: readonly string[]
}

/** Writes the ZIP of an export into the store. @returns its size; undefined if the signal aborted */
export async function pack(
  db: Db,
  store: FileStore,
  { app, user, file, stored, pieces }: ToPack,
  signal: AbortSignal,
): Promise<number | undefined> {
  async function* textOf(entry: string): AsyncGenerator<Buffer> {
    for (const [number, of] of pieces.entries()) if (of === entry) yield await store.readAll(file, pieceName(number))
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const name of new Set(pieces)) yield { name, open: () => Promise.resolve(Readable.from(textOf(name))) }
    for await (const { id, name, stored: upload } of filesOfOwner(db, app, user)) {
      // Most files are compressed already.
      yield { name: `files/${id}-${name}`, open: () => store.read(id, upload), isCompressed: true }
    }
  }
  try {
    return await store.keepStream(file, stored, writeZip(entries(), signal), 'application/zip')
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
