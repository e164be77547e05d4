import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import type { Attachment, FileDoc } from '@parley/db/files/documents'
import { findFiles } from '@parley/db/files/files'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { attachmentsOf } from '../files/attach-files.ts'
import { importedFileId, importedMessageId, type KnownFiles } from './known-ids.ts'

/** A line that can have files: of the import, or uploaded before it by the sender or the integrator. */
type WithFiles = ImportOf<'message' | 'scheduled'>

export interface Uploads {
  files: ReadonlyMap<string, FileDoc>
  /** Messages that were imported before. They keep their files, which may have been removed since. */
  existing: ReadonlySet<ImportLine>
}

/** @param hasLine whether the import has the file */
export async function findUploads(
  db: Db,
  app: string,
  lines: readonly WithFiles[],
  hasLine: (id: string) => boolean,
): Promise<Uploads> {
  const toFind = (line: WithFiles) => idsOf(line).filter((id) => !hasLine(id))
  const files = await filesById(db, app, lines.flatMap(toFind), false)
  const doubtful = lines.filter((line) => toFind(line).some((id) => !isFree(files.get(id), line)))
  const idOf = ({ room, _id }: WithFiles) => importedMessageId(app, room, _id)
  const found = doubtful.length > 0 ? await findMessages(db, doubtful.map(idOf)) : []
  const existing = new Set(found.map(({ _id }) => _id))
  return { files, existing: new Set(doubtful.filter((line) => existing.has(idOf(line)))) }
}

export function faultOfAttachments(
  line: WithFiles,
  known: KnownFiles,
  { files, existing }: Uploads,
): string | undefined {
  const { attachments = [], sender } = line
  if (attachments.length === 0 || existing.has(line)) return undefined
  const found = attachments.flatMap(({ fileID: id, name = '', type = '', size = 0 }) => {
    if (known.isSentBy(id, sender)) return { id, name, type, size, stored: id }
    const file = known.has(id) ? undefined : files.get(id)
    return isFree(file, line) && file ? file : []
  })
  try {
    attachmentsOf(found, attachments)
    const isUnclear = attachments.some((one) => known.isGone(one.fileID) && !(one.name && one.type && one.size))
    return isUnclear ? 'name, type and size are required for a file that is gone' : undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** The files of new lines, held while the lines are written. @throws Error if one was removed since the check */
export async function findAttachments(
  db: Db,
  app: string,
  lines: readonly WithFiles[],
  known: KnownFiles,
): Promise<Map<WithFiles, Attachment[]>> {
  const withFiles = lines.filter(({ attachments }) => attachments)
  const idOf = (id: string) => (known.has(id) ? importedFileId(app, id) : id)
  const files = await filesById(db, app, withFiles.flatMap(idsOf).map(idOf), true)
  const attached = (line: WithFiles) => {
    const wanted = (line.attachments ?? []).map((one) => Object.assign({}, one, { fileID: idOf(one.fileID) }))
    const found = wanted.flatMap(({ fileID: id, name = '', type = '', size = 0 }, n) => {
      const file = files.get(id)
      if (!known.has(line.attachments?.[n]?.fileID ?? '')) return isFree(file, line) && file ? file : []
      const { name: storedName, type: storedType, size: storedSize } = file ?? { name, type, size }
      return { id, stored: id, name: storedName, type: storedType, size: storedSize }
    })
    return attachmentsOf(found, wanted)
  }
  return new Map(withFiles.map((line) => [line, attached(line)]))
}

const idsOf = ({ attachments = [] }: WithFiles) => attachments.map(({ fileID }) => fileID)
const isFree = (file: FileDoc | undefined, { sender }: WithFiles) =>
  file !== undefined && (file.owner === undefined || file.owner === sender)

async function filesById(db: Db, app: string, ids: readonly string[], hold: boolean): Promise<Map<string, FileDoc>> {
  return new Map((await findFiles(db, app, [...new Set(ids)], { hold })).map((file) => [file.id, file]))
}
