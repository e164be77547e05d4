import { ParleyError } from '../parley-error.ts'
import type { Storage } from '../sending/outbox-storage.ts'
import type { Upload } from './upload.ts'

type Kept = Omit<Upload, 'sentBytes' | 'state' | 'error'> & { user: string }

/** Parley drops files that are never sent after a day; an hour is for clocks that differ. */
const keptMS = 23 * 3_600_000

/** Keeps the uploads of a user. A storage that fails keeps nothing, and stops no upload. */
export function keptUploads(storage: Storage | undefined, storageKey: () => string) {
  /** One after the other, since each reads the stored list. */
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<Kept[]> {
    const text = await storage?.getItem(storageKey())
    const all = text ? (JSON.parse(text) as Kept[]) : []
    return all.filter(({ createdAtMS }) => Date.now() - createdAtMS < keptMS)
  }

  async function write(user: string, uploads: readonly Upload[]): Promise<void> {
    const others = (await read()).filter((kept) => kept.user !== user)
    await storage?.setItem(storageKey(), JSON.stringify([...others, ...uploads.map((upload) => toKept(upload, user))]))
  }

  return {
    /** @param uploads as they are when it comes to it */
    write(user: string, uploads: () => readonly Upload[]): void {
      if (storage) last = last.then(() => write(user, uploads())).catch(() => undefined)
    },
    /** Uploads of an earlier page. */
    restore(user: string, take: (uploads: Upload[]) => void): void {
      const restore = async () => take((await read()).filter((kept) => kept.user === user).map(toUpload))
      if (storage) last = last.then(restore).catch(() => undefined)
    },
  }
}

function toKept({ sentBytes: _sent, state: _state, error: _error, ...upload }: Upload, user: string): Kept {
  return { ...upload, user }
}

function toUpload({ user: _user, ...upload }: Kept): Upload {
  if (upload.attachment) return { ...upload, sentBytes: upload.size, state: 'uploaded' }
  const error = new ParleyError('UPLOAD_INTERRUPTED', 'the app was loaded again before the file was uploaded')
  return { ...upload, sentBytes: 0, state: 'failed', error }
}
