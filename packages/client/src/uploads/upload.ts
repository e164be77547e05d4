import type { FileToUpload, UploadOptions } from '../files/files.ts'
import type { Attachment } from '../generated/types.ts'
import type { ParleyError } from '../parley-error.ts'
import type { Store } from '../store.ts'

/** A file on its way, or uploaded and not sent yet. */
export interface Upload {
  key: string
  /** The app's own label: a room's ID. */
  about: string
  name: string
  type: string
  size: number
  createdAtMS: number
  /** As far as the bytes are sent: 0 to `size`. */
  sentBytes: number
  state: 'uploading' | 'uploaded' | 'failed'
  /** Once it is uploaded: for `attachments` of a message. */
  attachment?: Attachment
  /** Why it failed. After UPLOAD_INTERRUPTED the bytes are gone, as no `files` kept them: the user chooses the file again. */
  error?: ParleyError | undefined
}

/** Where the bytes of unfinished uploads survive a reload, by the keys of the uploads: IndexedDB in a browser. */
export interface FileStorage {
  get(key: string): Promise<Blob | undefined>
  set(key: string, file: Blob): Promise<unknown>
  remove(key: string): Promise<unknown>
}

export interface Uploads {
  readonly list: Store<readonly Upload[]>
  /** Begins an upload. Awaiting it is optional: `list` has its state. Returns its key. */
  add(
    file: FileToUpload,
    options: Omit<UploadOptions, 'signal' | 'send' | 'announced' | 'onAnnounced'> & { about: string },
  ): string
  /** Uploads a failed file once more; does nothing after UPLOAD_INTERRUPTED. */
  retry(key: string): void
  /** Takes it out of the list, when it is sent or given up. */
  remove(key: string): void
  /** Ends those that run. */
  close(): void
}
