import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import type { AttachmentToSend } from '@parley/contracts/resources/file'
import type { Attachment, FileDoc } from '@parley/db/files/documents'
import { holdFiles } from '@parley/db/files/files'
import type { Chat } from '../chat.ts'

interface Sending {
  app: string
  sender: string
  byClient?: boolean | undefined
}

/**
 * The files of a message about to be sent, which belong to the sender or the integrator. Holds them until the message
 * is sent.
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST
 */
export async function attachFiles(
  { db }: Chat,
  { app, sender, byClient }: Sending,
  wanted: readonly AttachmentToSend[],
): Promise<Attachment[]> {
  const ids = wanted.map(({ fileID }) => fileID)
  return attachmentsOf(await holdFiles(db, ids, { app, owner: sender, orIntegrator: !byClient }), wanted)
}

/**
 * The attachments as stored with the message.
 * @param found the files with these IDs of the sender or the integrator
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST
 */
export function attachmentsOf(
  found: readonly Pick<FileDoc, 'id' | 'name' | 'type' | 'size' | 'stored' | 'scan'>[],
  wanted: readonly AttachmentToSend[],
): Attachment[] {
  const ids = wanted.map(({ fileID }) => fileID)
  const files = new Map(found.map((file) => [file.id, file]))
  return wanted.map(({ fileID, width, height, duration }, i) => {
    const field = `attachments[${i}].fileID`
    const file = files.get(fileID)
    if (!file) throw new ApiError('FILE_NOT_FOUND', `${field}: the sender has no file ${JSON.stringify(fileID)}`)
    if (file.stored === undefined) throw new ApiError('INVALID_REQUEST', `${field}: the file is not uploaded yet`)
    if (file.scan === 'refused') throw new ApiError('INVALID_REQUEST', `${field}: the file was refused by a scanner`)
    if (ids.indexOf(fileID) < i) throw new ApiError('INVALID_REQUEST', `${field}: the file is listed twice`)
    const { name, type, size } = file
    return { fileID, name, type, size, ...defined({ width, height, duration }) }
  })
}
