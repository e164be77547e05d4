import type { Readable } from 'node:stream'
import { ApiError } from '@parley/contracts/errors'
import type { File } from '@parley/contracts/resources/file'
import type { Db } from '@parley/db/connect'
import type { FileDoc } from '@parley/db/files/documents'
import { beginUpload, findFile, takeStored } from '@parley/db/files/files'
import { newId } from '@parley/db/messages/messages'
import { type FileStore, type FolderStore, NotUploaded, type S3Store } from '@parley/files/file-store'
import { hasThumbnail, otherType } from '@parley/files/media-types'
import { mayHaveMetadata, withoutMetadata } from '@parley/files/picture-metadata'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { keepsMetadata } from './file-limits.ts'
import { type Files, storeError, toFileView, withStoreErrors } from './files.ts'
import { ownFile } from './get-file.ts'

/**
 * Stores the bytes of a file as they arrive. An upload that breaks off, or has another size or type, leaves nothing and
 * can be retried. A new upload aborts the previous one, on every gateway.
 * @throws ApiError FILE_UPLOADED, UPLOAD_REPLACED, FILE_TOO_LARGE, FILE_TYPE_MISMATCH, INVALID_BODY, STORAGE_FULL,
 * TOO_MANY_REQUESTS
 */
export async function takeUpload(
  chat: Chat,
  { store, isScanned, uploads }: Pick<Files, 'isScanned' | 'uploads'> & { store: FolderStore },
  file: FileDoc,
  bytes: Readable,
): Promise<File> {
  const { id } = file
  if (file.stored !== undefined) throw new ApiError('FILE_UPLOADED')
  return uploads.run(file, async (signal) => {
    const upload = await beginStoring(chat, store, file)
    if (upload === undefined) throw new ApiError('FILE_UPLOADED', 'the file has its content, or is gone')
    await withStoreErrors(store.write(id, upload, bytes, file.size, signal))
    const taken = await keepUpload(chat, { store, isScanned }, file, upload)
    if (taken) return taken
    const now = await findFile(chat.db, file.app, id)
    if (now && now.stored === undefined) throw new ApiError('UPLOAD_REPLACED')
    throw new ApiError('FILE_UPLOADED', 'the file has its content, or is gone')
  })
}

/** Names a new upload and removes the previous one. Undefined if the file already has content, or is gone. */
export async function beginStoring(
  { db }: Pick<Chat, 'db'>,
  store: FileStore,
  file: FileDoc,
): Promise<string | undefined> {
  const upload = newId()
  const begun = await beginUpload(db, file, upload)
  if (begun?.before !== undefined) await withStoreErrors(store.removeUpload(file.id, begun.before))
  return begun ? upload : undefined
}

/**
 * Accepts a client's upload to S3. A file that already has content stays unchanged. Failures can be retried.
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST if nothing or too little is uploaded, FILE_TOO_LARGE,
 * FILE_TYPE_MISMATCH
 */
export async function confirmUpload(chat: Chat, files: Files, by: Caller, id: string): Promise<File> {
  const { store } = files
  const file = await ownFile(chat, by, id)
  if (store.kind !== 's3') return toFileView(file)
  // Each attempt copies the uploaded object.
  return files.uploads.once(file, () => takeFromBucket(chat, { ...files, store }, by, file))
}

async function takeFromBucket(
  chat: Chat,
  { store, isScanned }: Pick<Files, 'isScanned'> & { store: S3Store },
  by: Caller,
  file: FileDoc,
): Promise<File> {
  const { id } = file
  if (file.stored !== undefined) {
    // The first attempt may have stopped before this.
    await withStoreErrors(store.forget(id))
    return toFileView(file)
  }
  const upload = await beginStoring(chat, store, file)
  if (upload === undefined) return takenMeanwhile(chat, by, id, new ApiError('FILE_NOT_FOUND'))
  const taken = await takeCopy(chat, { store, isScanned }, file, upload).catch((error: unknown) => {
    const isMissing = error instanceof NotUploaded
    return isMissing ? new ApiError('INVALID_REQUEST', 'id: the file is not uploaded yet') : storeError(error)
  })
  // Another gateway may have accepted it and removed this copy.
  if (taken instanceof ApiError) return takenMeanwhile(chat, by, id, taken)
  await withStoreErrors(store.forget(id))
  return taken
}

async function takeCopy(
  chat: Chat,
  files: Pick<Files, 'isScanned'> & { store: S3Store },
  file: FileDoc,
  upload: string,
): Promise<File | ApiError> {
  await files.store.take(file.id, upload, file.size)
  return (await keepUpload(chat, files, file, upload)) ?? new ApiError('FILE_NOT_FOUND')
}

/** The file, if another call has accepted its upload. @throws the given error otherwise */
async function takenMeanwhile(chat: Chat, by: Caller, id: string, otherwise: ApiError): Promise<File> {
  const file = await ownFile(chat, by, id)
  if (file.stored === undefined) throw otherwise
  return toFileView(file)
}

interface Keeping extends Pick<Files, 'store' | 'isScanned'> {
  thumbnail?: FileDoc['thumbnail'] | undefined
  /** By default as the app's configuration says. */
  keepsMetadata?: boolean
}

/**
 * Accepts a stored upload as the content of a file. A picture without `thumbnail` gets one later. Undefined if another
 * upload was accepted before, or the file is gone. If the database fails, the upload may have been accepted, so it is
 * kept until its file is removed.
 * @throws ApiError FILE_TYPE_MISMATCH
 */
export async function keepUpload(
  { db }: Pick<Chat, 'db'>,
  { store, isScanned, thumbnail, keepsMetadata: isKept }: Keeping,
  file: FileDoc,
  upload: string,
): Promise<File | undefined> {
  const { id, type } = file
  const found = await otherType(type, await withStoreErrors(store.firstBytes(id, upload)))
  if (found !== undefined) {
    await withStoreErrors(store.removeUpload(id, upload))
    if (store.kind === 's3') await withStoreErrors(store.forget(id))
    throw new ApiError('FILE_TYPE_MISMATCH', `type: ${type} expected, found ${found}`)
  }
  const mayKeep = !mayHaveMetadata(file) || (isKept ?? (await keepsMetadata(db, file.app)))
  const size = mayKeep ? file.size : await removeMetadata(db, store, file, upload)
  const taken = { size, isToScan: isScanned, wantsThumbnail: !thumbnail && hasThumbnail(file), thumbnail }
  if (!(await takeStored(db, file, upload, taken))) {
    await withStoreErrors(store.removeUpload(id, upload))
    return undefined
  }
  return toFileView({ ...file, size, stored: upload, ...(isScanned && { scan: 'pending' as const }) })
}

/** Removes a picture's metadata before delivery. Returns its new size. */
async function removeMetadata(db: Db, store: FileStore, file: FileDoc, upload: string): Promise<number> {
  const { id, type, size } = file
  // One at a time, since the picture is in memory twice.
  return db.locks.run(['picture metadata'], async () => {
    const kept = withoutMetadata(type, await withStoreErrors(store.readAll(id, upload)))
    if (!kept) return size
    await withStoreErrors(store.keep(id, upload, kept, type))
    return kept.length
  })
}
