import type { Readable } from 'node:stream'

/**
 * Storage of the bytes of files. A file has a place by its ID, with an entry for each of its uploads; the database
 * names the one that was taken. So a partial or repeated upload is never given out, and goes with its file.
 */
interface Common {
  /** The beginning of an upload, enough to recognise its type. */
  firstBytes(id: string, upload: string): Promise<Buffer>
  /** A whole upload; only of one that fits into memory. */
  readAll(id: string, upload: string): Promise<Buffer>
  /** An upload, as it is read. */
  read(id: string, upload: string): Promise<Readable>
  /** Puts something of ours beside the uploads of a file, as it comes, in place of an earlier one; returns its size. */
  keepStream(id: string, name: string, bytes: Readable, type: string): Promise<number>
  /** Puts something of ours beside the uploads of a file. */
  keep(id: string, name: string, bytes: Buffer, type: string): Promise<void>
  /** Removes one upload of a file, if it is there. */
  removeUpload(id: string, upload: string): Promise<void>
  /** Removes a file with all its uploads, if it is there. */
  remove(id: string): Promise<void>
}

/** A folder, which all gateways share: they take and give the bytes themselves. */
export interface FolderStore extends Common {
  kind: 'folder'
  /**
   * Writes an upload as it comes, and keeps it when it is whole.
   * @throws WrongSize when it has not exactly `size` bytes, StoreFull, UploadRemoved, and the reason of the signal
   */
  write(id: string, upload: string, bytes: Readable, size: number, signal: AbortSignal): Promise<void>
  /** @throws StoreFull when there is no room for this many bytes more */
  checkRoom(bytes: number): Promise<void>
  /** The folder, and where an upload lies in it. */
  root: string
  pathOf(id: string, upload: string): string
}

/** A bucket of an S3-compatible store, with which clients exchange the bytes themselves. */
export interface S3Store extends Common {
  kind: 's3'
  /** With which clients exchange the bytes. */
  origin: string
  /** Where a client PUTs a file, and the headers to send with it. */
  uploadUrl(
    id: string,
    file: { type: string; size: number; expiresAtMS: number },
  ): Promise<{ url: string; headers: Record<string, string> }>
  /**
   * Keeps a copy of the client's upload, out of its reach. It can be taken again until it is forgotten, unless it has
   * another size.
   * @throws NotUploaded, WrongSize
   */
  take(id: string, upload: string, size: number): Promise<void>
  /** Removes the client's upload, and no copy of it. */
  forget(id: string): Promise<void>
  downloadUrl(
    id: string,
    upload: string,
    as: { type: string; disposition: string; expiresAtMS: number },
  ): Promise<string>
}

export type FileStore = FolderStore | S3Store

/** The client has uploaded nothing yet. */
export class NotUploaded extends Error {
  override name = 'NotUploaded'
}

/** The upload would leave too little free space. */
export class StoreFull extends Error {
  override name = 'StoreFull'
}

/** An upload was removed while it came: a newer one has begun, maybe at another gateway. */
export class UploadRemoved extends Error {
  override name = 'UploadRemoved'
}

/** An upload has other bytes than were announced. */
export class WrongSize extends Error {
  override name = 'WrongSize'
  readonly isTooLarge: boolean

  constructor(size: number, isTooLarge: boolean) {
    super(`expected ${size} bytes, and there are ${isTooLarge ? 'more' : 'fewer'}`)
    this.isTooLarge = isTooLarge
  }
}
