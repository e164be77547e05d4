import type { Readable } from 'node:stream'
import { ApiError } from '@parley/contracts/errors'
import type { File } from '@parley/contracts/resources/file'
import { type FileDoc, takeStored } from '@parley/db/files/files'
import { newId } from '@parley/db/messages/messages'
import { type FolderStore, WrongSize } from '@parley/files/file-store'
import { otherType } from '@parley/files/media-types'
import type { Chat } from '../chat.ts'
import { toFileView } from './files.ts'

/**
 * Takes the bytes of a file as they come. What breaks off, has another size or is of another type leaves nothing, and the
 * upload may be tried again.
 * @throws ApiError FILE_UPLOADED, FILE_TOO_LARGE, FILE_TYPE_MISMATCH, INVALID_BODY
 */
export async function takeUpload({ db }: Chat, store: FolderStore, file: FileDoc, bytes: Readable): Promise<File> {
  const { id } = file
  if (file.stored !== undefined) throw new ApiError('FILE_UPLOADED')
  const upload = newId()
  try {
    await store.write(id, upload, bytes, file.size)
  } catch (error) {
    throw notWritten(error)
  }
  try {
    const found = await otherType(file.type, await store.firstBytes(id, upload))
    if (found !== undefined) throw new ApiError('FILE_TYPE_MISMATCH', `type: ${file.type} expected, found ${found}`)
    if (!(await takeStored(db, file, upload)))
      throw new ApiError('FILE_UPLOADED', 'the file has its content, or is gone')
  } catch (error) {
    await store.removeUpload(id, upload)
    throw error
  }
  return toFileView({ ...file, stored: upload })
}

function notWritten(error: unknown): ApiError {
  if (error instanceof WrongSize)
    return new ApiError(error.isTooLarge ? 'FILE_TOO_LARGE' : 'INVALID_BODY', `the body: ${error.message}`)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNRESET') return new ApiError('INVALID_BODY', 'the body broke off')
  return new ApiError('SERVICE_UNAVAILABLE', 'the file could not be kept: try again', { cause: error })
}
