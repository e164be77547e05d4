import type { UploadOptions } from '../files/files.ts'
import { ParleyError } from '../parley-error.ts'
import type { Storage } from '../sending/outbox-storage.ts'
import type { FileStorage, Upload } from './upload.ts'

/** Optional metadata from the sender. */
export type Measures = Pick<UploadOptions, 'width' | 'height' | 'duration'>
type Kept = Omit<Upload, 'sentBytes' | 'state' | 'error'> & { user: string; measures?: Measures | undefined }

/** An upload of an earlier page. An unfinished one has its bytes if they were kept. */
export interface Restored {
  upload: Upload
  measures?: Measures | undefined
  file?: Blob | undefined
}

/** Parley deletes unsent files after a day. One hour is left for clock skew. */
const keptMS = 23 * 3_600_000

/** Keeps a user's uploads across reloads. If the storage fails, uploads go on without being kept. */
export function keptUploads(storage: Storage | undefined, files: FileStorage | undefined, storageKey: () => string) {
  /** Serializes changes, since each reads the stored list. */
  let last: Promise<unknown> = Promise.resolve()
  /** Serializes file changes. */
  let lastFile: Promise<unknown> = Promise.resolve()

  async function read(): Promise<Kept[]> {
    const text = await storage?.getItem(storageKey())
    const all = text ? (JSON.parse(text) as Kept[]) : []
    return all.filter(({ createdAtMS }) => Date.now() - createdAtMS < keptMS)
  }

  async function write(user: string, uploads: readonly Omit<Kept, 'user'>[]): Promise<void> {
    const others = (await read()).filter((kept) => kept.user !== user)
    await storage?.setItem(storageKey(), JSON.stringify([...others, ...uploads.map((upload) => ({ ...upload, user }))]))
  }

  async function restored(kept: Kept): Promise<Restored> {
    const file = kept.attachment ? undefined : await files?.get(kept.key).catch(() => undefined)
    return { upload: toUpload(kept), measures: kept.measures, file }
  }

  return {
    /** @param uploads called when it is time to write */
    write(user: string, uploads: () => readonly Upload[], measuresOf: (key: string) => Measures | undefined): void {
      const now = () => uploads().map((upload) => toKept(upload, measuresOf(upload.key)))
      if (storage) last = last.then(() => write(user, now())).catch(() => undefined)
    },
    /** Stores the bytes of a new upload. */
    setFile(key: string, file: Blob): void {
      if (storage && files) lastFile = lastFile.then(() => files.set(key, file)).catch(() => undefined)
    },
    /** Removes the bytes of an upload that is complete or cancelled. */
    removeFile(key: string): void {
      if (storage && files) lastFile = lastFile.then(() => files.remove(key)).catch(() => undefined)
    },
    /** Restores the uploads of an earlier page. */
    restore(user: string, take: (left: Restored[]) => void): void {
      const restore = async () => {
        const own = (await read()).filter((kept) => kept.user === user)
        take(await Promise.all(own.map(restored)))
      }
      if (storage) last = last.then(restore).catch(() => undefined)
    },
  }
}

function toKept({ sentBytes: _sent, state: _state, error: _error, ...upload }: Upload, measures: Measures | undefined) {
  return { ...upload, measures }
}

function toUpload({ user: _user, measures: _measures, ...upload }: Kept): Upload {
  if (upload.attachment) return { ...upload, sentBytes: upload.size, state: 'uploaded' }
  const error = new ParleyError('UPLOAD_INTERRUPTED', 'the app was reloaded before the upload finished')
  return { ...upload, sentBytes: 0, state: 'failed', error }
}
