import type { UploadOptions } from '../files/files.ts'
import { ParleyError } from '../parley-error.ts'
import type { Storage } from '../sending/outbox-storage.ts'
import type { FileStorage, Upload } from './upload.ts'

/** Dimensions that the sender gives. */
export type Measures = Pick<UploadOptions, 'width' | 'height' | 'duration'>
type Kept = Omit<Upload, 'sentBytes' | 'state' | 'error'> & { user: string; measures?: Measures | undefined }

/** An upload of an earlier page, with the bytes of one that was not finished, where they were kept. */
export interface Restored {
  upload: Upload
  measures?: Measures | undefined
  file?: Blob | undefined
}

/** Parley drops files that are never sent after a day; an hour is for clocks that differ. */
const keptMS = 23 * 3_600_000

/** Keeps the uploads of a user. A storage that fails keeps nothing, and stops no upload. */
export function keptUploads(storage: Storage | undefined, files: FileStorage | undefined, storageKey: () => string) {
  /** One after the other, since each reads the stored list. */
  let last: Promise<unknown> = Promise.resolve()
  /** In the order of the calls. */
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
    /** @param uploads as they are when it comes to it */
    write(user: string, uploads: () => readonly Upload[], measuresOf: (key: string) => Measures | undefined): void {
      const now = () => uploads().map((upload) => toKept(upload, measuresOf(upload.key)))
      if (storage) last = last.then(() => write(user, now())).catch(() => undefined)
    },
    /** The bytes of an upload that begins. */
    setFile(key: string, file: Blob): void {
      if (storage && files) lastFile = lastFile.then(() => files.set(key, file)).catch(() => undefined)
    },
    /** Of one that is uploaded or given up. */
    removeFile(key: string): void {
      if (storage && files) lastFile = lastFile.then(() => files.remove(key)).catch(() => undefined)
    },
    /** Uploads of an earlier page. */
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
  const error = new ParleyError('UPLOAD_INTERRUPTED', 'the app was loaded again before the file was uploaded')
  return { ...upload, sentBytes: 0, state: 'failed', error }
}
