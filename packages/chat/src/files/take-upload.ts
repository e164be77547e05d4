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
    const { code } = error as NodeJS.ErrnoException
    throw code === 'ECONNRESET' ? new ApiError('INVALID_BODY', 'the body broke off') : notKept(error)
  }
  const taken = await keepUpload(chat, { store, isScanned }, file, upload)
  if (!taken) throw new ApiError('FILE_UPLOADED', 'the file has its content, or is gone')
  return taken
}

/**
 * Takes what a client has uploaded to S3; a file that has its content already stays as it is. What fails can be repeated.
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST while nothing is uploaded or fewer bytes, FILE_TOO_LARGE, FILE_TYPE_MISMATCH
 */
export async function confirmUpload(chat: Chat, { store, isScanned }: Files, by: Caller, id: string): Promise<File> {
  const file = await ownFile(chat, by, id)
  if (store.kind !== 's3') return toFileView(file)
  if (file.stored !== undefined) {
    // The first try may have ended before this.
    await orUnavailable(store.forget(id))
    return toFileView(file)
  }
  const upload = newId()
  try {
    await store.take(id, upload, file.size)
  } catch (error) {
    if (!(error instanceof NotUploaded)) throw notKept(error)
    return takenMeanwhile(chat, by, id, new ApiError('INVALID_REQUEST', 'id: the file is not uploaded yet'))
  }
  const taken = await keepUpload(chat, { store, isScanned }, file, upload)
  if (!taken) return takenMeanwhile(chat, by, id, new ApiError('FILE_NOT_FOUND'))
  await orUnavailable(store.forget(id))
  return taken
}

/** The file, when another call has taken its upload. @throws ApiError the given one when none has */
async function takenMeanwhile(chat: Chat, by: Caller, id: string, otherwise: ApiError): Promise<File> {
  const file = await ownFile(chat, by, id)
  if (file.stored === undefined) throw otherwise
  return toFileView(file)
}

/**
 * Takes what is in the store as the content of a file; undefined when another upload was taken before, or the file is gone.
 * Where the database fails it may have taken it all the same: the upload stays, and goes with its file.
 * @throws ApiError FILE_TYPE_MISMATCH
 */
async function keepUpload(
  { db }: Chat,
  { store, isScanned }: Pick<Files, 'store' | 'isScanned'>,
  file: FileDoc,
  upload: string,
): Promise<File | undefined> {
  const { id, type } = file
  const found = await otherType(type, await orUnavailable(store.firstBytes(id, upload)))
  if (found !== undefined) {
    await orUnavailable(store.removeUpload(id, upload))
    if (store.kind === 's3') await orUnavailable(store.forget(id))
    throw new ApiError('FILE_TYPE_MISMATCH', `type: ${type} expected, found ${found}`)
  }
  if (!(await takeStored(db, file, upload, { isToScan: isScanned, wantsThumbnail: hasThumbnail(file) }))) {
    await orUnavailable(store.removeUpload(id, upload))
    return undefined
  }
  return toFileView({ ...file, stored: upload, ...(isScanned && { scan: 'pending' as const }) })
}

/** What the store does. @throws ApiError SERVICE_UNAVAILABLE when it fails */
async function orUnavailable<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    throw notKept(error)
  }
}

function notKept(error: unknown): ApiError {
  if (error instanceof WrongSize)
    return new ApiError(error.isTooLarge ? 'FILE_TOO_LARGE' : 'INVALID_BODY', `the body: ${error.message}`)
  return new ApiError('SERVICE_UNAVAILABLE', 'the file could not be kept: try again', { cause: error })
}
