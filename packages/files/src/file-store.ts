import type { Readable } from 'node:stream'

/**
 * Stores the bytes of files. Each upload of a file is stored under the file's ID; the database names the accepted one.
 * A partial or repeated upload is therefore never delivered, and is removed with its file.
 */
interface Common {
  /** The first bytes of an upload, enough to detect its type. */
  firstBytes(id: string, upload: string): Promise<Buffer>
  /** Reads a whole upload into memory. */
  readAll(id: string, upload: string): Promise<Buffer>
  read(id: string, upload: string): Promise<Readable>
  /** Stores a stream of our own beside a file's uploads, replacing an earlier one. Returns its size. Destroys it on failure. */
  keepStream(id: string, name: string, bytes: Readable, type: string): Promise<number>
  /** Stores bytes of our own beside a file's uploads. */
  keep(id: string, name: string, bytes: Buffer, type: string): Promise<void>
  removeUpload(id: string, upload: string): Promise<void>
  /** Removes a file with all its uploads, if it exists. */
  remove(id: string): Promise<void>
}

/** A folder that all gateways share. Gateways receive and serve the bytes. */
export interface FolderStore extends Common {
  kind: 'folder'
  /**
   * Streams an upload to disk. Keeps only a complete upload.
   * @throws WrongSize if it does not have exactly `size` bytes; StoreFull; UploadRemoved; the signal's reason
   */
  write(id: string, upload: string, bytes: Readable, size: number, signal: AbortSignal): Promise<void>
  /** @throws StoreFull if there is no room for this many more bytes */
  checkRoom(bytes: number): Promise<void>
  /** The folder, and the path of an upload in it. */
  root: string
  pathOf(id: string, upload: string): string
}

/** A bucket of an S3-compatible store. Clients upload to and download from it directly. */
export interface S3Store extends Common {
  kind: 's3'
  /** The origin that clients upload to and download from. */
  origin: string
  /** The URL for a client's PUT, and the headers to send. */
  uploadUrl(
    id: string,
    file: { type: string; size: number; expiresAtMS: number },
  ): Promise<{ url: string; headers: Record<string, string> }>
  /** Copies the client's upload to a key that clients cannot write to. Repeatable. @throws NotUploaded, WrongSize */
  take(id: string, upload: string, size: number): Promise<void>
  /** Removes the client's upload, but not copies of it. */
  forget(id: string): Promise<void>
  downloadUrl(
    id: string,
    upload: string,
    as: { type: string; disposition: string; expiresAtMS: number },
  ): Promise<string>
}

export type FileStore = FolderStore | S3Store

/** Whether a read failed because the store does not have the upload. */
export function isNotStored(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || name === 'NoSuchKey'
}

/** The client has uploaded nothing yet. */
export class NotUploaded extends Error {
  override name = 'NotUploaded'
}

/** The upload would leave too little free space. */
export class StoreFull extends Error {
  override name = 'StoreFull'
}

/** An upload was removed while it was being received: a newer upload has begun, possibly at another gateway. */
export class UploadRemoved extends Error {
  override name = 'UploadRemoved'
}

/** The size of an upload differs from the announced one. */
export class WrongSize extends Error {
  override name = 'WrongSize'
  readonly isTooLarge: boolean

  constructor(size: number, isTooLarge: boolean) {
    super(`expected ${size} bytes, got ${isTooLarge ? 'more' : 'fewer'}`)
    this.isTooLarge = isTooLarge
  }
}
