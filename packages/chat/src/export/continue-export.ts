import type { JobDoc } from '@parley/db/documents'
import { finishExportFile } from '@parley/db/files/export-files'
import { advanceExport } from '@parley/db/jobs'
import { newId } from '@parley/db/messages/messages'
import type { FileStore } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import { pack } from './pack.ts'
import { type ExportPlace, linesOfUser } from './user-lines.ts'

/** A piece is in memory until it is kept. */
const bytesOfPiece = 4 * 1024 * 1024
const pieceType = 'application/x-ndjson'

/**
 * Writes the export of a user: its lines in pieces, which the store keeps with the place after each, then all of them as one ZIP. A
 * successor continues after the last piece, and packs anew.
 * @returns whether it is finished, or stopped because the process stops
 * @throws JobTaken
 */
export async function continueExport(chat: Chat, store: FileStore, job: JobDoc): Promise<boolean> {
  const { app, user, export: begun } = job
  if (user === undefined || begun === undefined) return true
  const { file } = begun
  const pieces = [...(begun.pieces ?? [])]
  let { done } = job
  let [lines, bytes, entry]: [string[], number, string] = [[], 0, '']
  const keep = async (place: ExportPlace) => {
    if (lines.length === 0) return
    const name = `piece-${pieces.length}`
    await store.keep(file, name, Buffer.from(`${lines.join('\n')}\n`), pieceType)
    await advanceExport(chat.db, { ...job, done }, { entry, place, lines: lines.length })
    done += lines.length
    pieces.push(entry)
    ;[lines, bytes] = [[], 0]
  }
  let last: ExportPlace = begun.place ?? { stage: 0 }
  for await (const page of linesOfUser(chat.db, { app, user }, last, begun.own)) {
    if (chat.jobs.signal.aborted) return false
    if (page.entry !== entry) await keep(last)
    entry = page.entry
    lines.push(...page.lines)
    bytes += page.lines.reduce((sum, line) => sum + line.length, 0)
    last = page.place
    if (bytes >= bytesOfPiece) await keep(last)
  }
  await keep(last)
  const stored = newId()
  const size = await pack(chat.db, store, { app, user, file, stored, pieces }, chat.jobs.signal)
  if (size === undefined) return false
  await finishExportFile(chat.db, { app, id: file }, { stored, size })
  for (const number of pieces.keys()) await store.removeUpload(file, `piece-${number}`)
  return true
}
