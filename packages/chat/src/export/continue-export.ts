import { Readable } from 'node:stream'
import type { Db } from '@parley/db/connect'
import type { ExportPiece, JobDoc } from '@parley/db/documents'
import { filesOfOwner, finishExportFile } from '@parley/db/files/export-files'
import { findFile } from '@parley/db/files/files'
import { advanceExport, JobTaken } from '@parley/db/jobs'
import { newId } from '@parley/db/messages/messages'
import type { FileStore } from '@parley/files/file-store'
import { writeZip, type ZipEntry } from '@parley/files/zip'
import type { Chat } from '../chat.ts'
import { exportedPath } from './exported-name.ts'
import { type ExportPosition, linesOfUser } from './user-lines.ts'

/** Size of a piece, which is in memory until it is stored. */
const bytesOfPiece = 4 * 1024 * 1024
const pieceType = 'application/x-ndjson'

/**
 * Writes the export of a user: its lines in pieces, each stored with the position after it, then all of them as one
 * ZIP. Another process continues after the last piece. It packs from scratch unless the ZIP is recorded, since then the
 * pieces may already be deleted. Every stored name is new, so a worker that has lost its lease overwrites nothing.
 * @returns whether it is finished; false if the process is stopping
 * @throws JobTaken
 */
export async function continueExport(chat: Chat, store: FileStore, job: JobDoc): Promise<boolean> {
  const { app, user, export: begun } = job
  if (user === undefined || begun === undefined) return true
  const { file } = begun
  const of = { app, user, ...begun }
  const made = await findFile(chat.db, app, file)
  const pieces = made?.stored === undefined ? await makeZip(chat, store, job, of) : (begun.pieces ?? [])
  if (pieces === undefined) return false
  try {
    for (const { name } of pieces) await store.removeUpload(file, name)
  } catch (error) {
    chat.log.warn({ err: error, app, job: job.id, file }, 'pieces of an export not removed; they go with its file')
  }
  return true
}

type Export = { app: string; user: string } & NonNullable<JobDoc['export']>

/** @returns its pieces; undefined if the process stops */
async function makeZip(chat: Chat, store: FileStore, job: JobDoc, of: Export): Promise<ExportPiece[] | undefined> {
  const { app, user, file } = of
  const pieces = await writePieces(chat, store, job, of)
  if (pieces === undefined) return undefined
  const stored = newId()
  const size = await pack(chat.db, store, { app, user, file, stored, pieces }, chat.jobs.signal)
  if (size === undefined) return undefined
  const isKept = await finishExportFile(chat.db, { app, id: file }, { stored, size })
  if (!isKept) await store.removeUpload(file, stored)
  return pieces
}

/** @returns all pieces; undefined if the process stops */
async function writePieces(
  chat: Chat,
  store: FileStore,
  job: JobDoc,
  { app, user, file, ...begun }: Export,
): Promise<ExportPiece[] | undefined> {
  const pieces = [...(begun.pieces ?? [])]
  let { done } = job
  let [lines, bytes, entry]: [string[], number, string] = [[], 0, '']
  const keep = async (position: ExportPosition) => {
    if (lines.length === 0) return
    const piece = { entry, name: `piece-${newId()}` }
    await store.keep(file, piece.name, Buffer.from(`${lines.join('\n')}\n`), pieceType)
    try {
      await advanceExport(chat.db, { ...job, done }, { piece, position, lines: lines.length })
    } catch (error) {
      if (error instanceof JobTaken) await store.removeUpload(file, piece.name)
      throw error
    }
    done += lines.length
    pieces.push(piece)
    ;[lines, bytes] = [[], 0]
  }
  let last: ExportPosition = begun.position ?? { stage: 0 }
  for await (const page of linesOfUser(chat, { app, user }, last, begun.own)) {
    if (chat.jobs.signal.aborted) return undefined
    if (page.entry !== entry) await keep(last)
    entry = page.entry
    lines.push(...page.lines)
    bytes += page.lines.reduce((sum, line) => sum + line.length, 0)
    last = page.position
    if (bytes >= bytesOfPiece) await keep(last)
  }
  await keep(last)
  return pieces
}

interface ToPack {
  app: string
  user: string
  file: string
  stored: string
  pieces: readonly ExportPiece[]
}

/** Writes the ZIP of an export into the store. @returns its size; undefined if the signal aborted */
async function pack(
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
      yield { name: exportedPath({ id, name }), open: () => store.read(id, upload), isCompressed: true }
    }
  }
  try {
    return await store.keepStream(file, stored, writeZip(entries(), signal), 'application/zip')
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
