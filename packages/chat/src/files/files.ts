import { createHmac, timingSafeEqual } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { File } from '@parley/contracts/resources/file'
import type { FileDoc } from '@parley/db/files/documents'
import { findFile } from '@parley/db/files/files'
import { type FileStore, StoreFull, UploadRemoved, WrongSize } from '@parley/files/file-store'
import type { Chat } from '../chat.ts'
import type { Uploads } from './uploads.ts'

export interface Files {
  store: FileStore
  maxBytes: number
  /** Maximum total size of a user's files in bytes; 0 means no limit. */
  maxBytesPerUser: number
  uploads: Uploads
  /** Whether a scanner checks files before delivery. */
  isScanned: boolean
}

/** Purpose of a URL: upload, show, download, or show the thumbnail. */
export type ContentUse = 'put' | 'get' | 'save' | 'thumbnail'

export interface SignedQuery {
  app: string
  use: ContentUse
  expires: number
  signature: string
}

/** A gateway URL of a file's bytes, valid until `expires`. Each file is signed with its own secret. */
export function signedUrl(base: string, file: FileDoc, use: ContentUse, expires: number): string {
  const query = new URLSearchParams({ app: file.app, use, expires: `${expires}`, signature: sign(file, use, expires) })
  return `${base}/files/${file.id}/content?${query.toString()}`
}

/** The URL of stored bytes, in the bucket or at a gateway. */
export function contentUrl(
  store: FileStore,
  { base, file, use, name }: { base: string; file: FileDoc; use: ContentUse; name: string },
  headers: { type: string; disposition: string },
  expiresAtMS: number,
): Promise<string> | string {
  return store.kind === 's3'
    ? store.downloadUrl(file.id, name, { ...headers, expiresAtMS })
    : signedUrl(base, file, use, expiresAtMS)
}

/** The file of a signed URL. @throws ApiError FILE_NOT_FOUND, FILE_URL_INVALID */
export async function fileOfUrl({ db }: Chat, id: string, query: SignedQuery): Promise<FileDoc> {
  const file = await findFile(db, query.app, id)
  if (!file) throw unknownFile(id)
  const right = Buffer.from(sign(file, query.use, query.expires))
  const given = Buffer.from(query.signature)
  if (right.length !== given.length || !timingSafeEqual(right, given)) throw new ApiError('FILE_URL_INVALID')
  if (query.expires < clock.now()) throw new ApiError('FILE_URL_INVALID', 'the URL has expired: request a new one')
  return file
}

function sign({ secret, id }: FileDoc, use: ContentUse, expires: number): string {
  return createHmac('sha256', secret).update(`${use} ${id} ${expires}`).digest('hex')
}

export function unknownFile(id: string): ApiError {
  return new ApiError('FILE_NOT_FOUND', `no file ${JSON.stringify(id)}`)
}

export function toFileView({ id, name, type, size, owner, stored, scan, createdAtMS }: FileDoc): File {
  const status = scan === 'pending' ? 'checking' : (scan ?? 'uploaded')
  return {
    ...{ fileID: id, name, type, size },
    ...(owner !== undefined && { owner }),
    status: stored === undefined ? 'waiting' : status,
    createdAtMS,
  }
}

/** Awaits work of the store. @throws ApiError if it fails */
export async function withStoreErrors<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    throw storeError(error)
  }
}

/** The error that the caller gets if the store or the upload fails. */
export function storeError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UploadRemoved) return new ApiError('UPLOAD_REPLACED')
  if (error instanceof StoreFull) return new ApiError('STORAGE_FULL', undefined, { cause: error })
  if (error instanceof WrongSize)
    return new ApiError(error.isTooLarge ? 'FILE_TOO_LARGE' : 'INVALID_BODY', `the body: ${error.message}`)
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET')
    return new ApiError('INVALID_BODY', 'the body was cut off')
  return new ApiError('SERVICE_UNAVAILABLE', 'the file could not be stored: try again', { cause: error })
}
