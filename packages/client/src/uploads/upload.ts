import type { FileToUpload, UploadOptions } from '../files/files.ts'
import type { Attachment } from '../generated/types.ts'
import type { ParleyError } from '../parley-error.ts'
import type { Store } from '../store.ts'

/** A file that is uploading, or uploaded but not sent yet. */
export interface Upload {
  key: string
  /** The app's own label, such as a room's ID. */
  about: string
  name: string
  type: string
  size: number
  createdAtMS: number
  /** Bytes sent so far: 0 to `size`. */
  sentBytes: number
  state: 'uploading' | 'uploaded' | 'failed'
  /** Set once uploaded, for a message's `attachments`. */
  attachment?: Attachment
  /** Why it failed. After UPLOAD_INTERRUPTED the bytes are gone: the user must choose the file again. */
  error?: ParleyError | undefined
}

/** Keeps the bytes of unfinished uploads by upload key, for instance in IndexedDB. */
export interface FileStorage {
  get(key: string): Promise<Blob | undefined>
  set(key: string, file: Blob): Promise<unknown>
  remove(key: string): Promise<unknown>
}

export interface Uploads {
  readonly list: Store<readonly Upload[]>
  /** Starts an upload and returns its key. `list` shows its state. */
  add(
    file: FileToUpload,
    options: Omit<UploadOptions, 'signal' | 'send' | 'announced' | 'onAnnounced'> & { about: string },
  ): string
  /** Retries a failed upload. Does nothing after UPLOAD_INTERRUPTED. */
  retry(key: string): void
  /** Removes an upload from the list, after it is sent or to cancel it. */
  remove(key: string): void
  /** Aborts running uploads. */
  close(): void
}
