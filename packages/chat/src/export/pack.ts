import { Readable } from 'node:stream'
import type { Db } from '@parley/db/connect'
import type { ExportPiece } from '@parley/db/documents'
import { filesOfOwner } from '@parley/db/files/export-files'
import type { FileStore } from '@parley/files/file-store'
import { writeZip, type ZipEntry } from '@parley/files/zip'

interface ToPack {
  app: string
  user: string
  file: string
  stored: string
  pieces: readonly ExportPiece[]
}

/** Writes the ZIP of an export into the store. @returns its size; undefined if the signal aborted */
export async function pack(
  db: Db,
  store: FileStore,
  { app, user, file, stored, pieces }: ToPack,
  signal: AbortSignal,
): Promise<number | undefined> {
  async function* textOf(entry: string): AsyncGenerator<Buffer> {
    for (const piece of pieces) if (piece.entry === entry) yield await store.readAll(file, piece.name)
  }
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const name of new Set(pieces.map(({ entry }) => entry)))
      yield { name, open: () => Promise.resolve(Readable.from(textOf(name))) }
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
