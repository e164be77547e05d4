import type { Readable } from 'node:stream'
import { ApiError } from '@parley/contracts/errors'
import type { File } from '@parley/contracts/resources/file'
import { type FileDoc, takeStored } from '@parley/db/files/files'
import { newId } from '@parley/db/messages/messages'
import { type FolderStore, NotUploaded, WrongSize } from '@parley/files/file-store'
import { otherType } from '@parley/files/media-types'
import { hasThumbnail } from '@parley/files/pictures'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { type Files, toFileView } from './files.ts'
import { ownFile } from './get-file.ts'

/**
 * Takes the bytes of a file as they come. What breaks off, has another size or is of another type leaves nothing, and the
 * upload may be tried again.
 * @throws ApiError FILE_UPLOADED, FILE_TOO_LARGE, FILE_TYPE_MISMATCH, INVALID_BODY
 */
export async function takeUpload(
  chat: Chat,
  { store, isScanned }: Pick<Files, 'isScanned'> & { store: FolderStore },
  file: FileDoc,
  bytes: Readable,
): Promise<File> {
  const { id } = file
  if (file.stored !== undefined) throw new ApiError('FILE_UPLOADED')
  const upload = newId()
  try {
    await store.write(id, upload, bytes, file.size)
  } catch (error) {
    throw notWritten(error)
  }
  return keepUpload(chat, { store, isScanned }, file, upload)
}

/**
 * Takes what a client has uploaded to S3; a file that has its content already stays as it is.
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST while nothing is uploaded or fewer bytes, FILE_TOO_LARGE, FILE_TYPE_MISMATCH
 */
export async function confirmUpload(chat: Chat, { store, isScanned }: Files, by: Caller, id: string): Promise<File> {
  const file = await ownFile(chat, by, id)
  if (file.stored !== undefined || store.kind !== 's3') return toFileView(file)
  const upload = newId()
  try {
    await store.take(id, upload, file.size)
  } catch (error) {
    if (error instanceof NotUploaded) throw new ApiError('INVALID_REQUEST', 'id: the file is not uploaded yet')
    throw notWritten(error)
  }
  return keepUpload(chat, { store, isScanned }, file, upload)
}

/** Where the database fails it may have taken the upload all the same: that stays, and goes with its file. */
async function keepUpload(
  { db }: Chat,
  { store, isScanned }: Pick<Files, 'store' | 'isScanned'>,
  file: FileDoc,
  upload: string,
): Promise<File> {
  const { id } = file
  try {
    const found = await otherType(file.type, await store.firstBytes(id, upload))
    if (found !== undefined) throw new ApiError('FILE_TYPE_MISMATCH', `type: ${file.type} expected, found ${found}`)
    if (!(await takeStored(db, file, upload, { isToScan: isScanned, wantsThumbnail: hasThumbnail(file) })))
      throw new ApiError('FILE_UPLOADED', 'the file has its content, or is gone')
  } catch (error) {
    if (error instanceof ApiError) await store.removeUpload(id, upload)
    throw error
  }
  return toFileView({ ...file, stored: upload, ...(isScanned && { scan: 'pending' as const }) })
}

function notWritten(error: unknown): ApiError {
  if (error instanceof WrongSize)
    return new ApiError(error.isTooLarge ? 'FILE_TOO_LARGE' : 'INVALID_BODY', `the body: ${error.message}`)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNRESET') return new ApiError('INVALID_BODY', 'the body broke off')
  return new ApiError('SERVICE_UNAVAILABLE', 'the file could not be kept: try again', { cause: error })
}
