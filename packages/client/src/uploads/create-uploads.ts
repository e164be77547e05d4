import type { Client } from '../client.ts'
import type { FileToUpload, UploadOptions } from '../files/files.ts'
import type { Attachment } from '../generated/types.ts'
import { networkError, ParleyError } from '../parley-error.ts'
import { randomID } from '../random-id.ts'
import type { Storage } from '../sending/outbox-storage.ts'
import { createStore, type Store } from '../store.ts'
import { sendWithProgress } from './send-with-progress.ts'

/** A file on its way, or uploaded and not sent yet. */
export interface Upload {
  key: string
  /** What the app said that it is for: a room's ID. */
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
  /** Why it failed. After UPLOAD_INTERRUPTED the bytes are gone: the user chooses the file again. */
  error?: ParleyError
}

export interface Uploads {
  readonly list: Store<readonly Upload[]>
  /** Begins an upload. Nobody has to wait: `list` has its state. Returns its key. */
  add(file: FileToUpload, options: Omit<UploadOptions, 'signal' | 'send'> & { about: string }): string
  /** Uploads a failed file once more; does nothing after UPLOAD_INTERRUPTED. */
  retry(key: string): void
  /** Takes it out of the list, when it is sent or given up. */
  remove(key: string): void
  /** Ends those that run. */
  close(): void
}

export interface UploadsOptions {
  /** Where uploaded files survive a reload: sessionStorage, since each tab has its own. */
  storage?: Storage
}

type Kept = Omit<Upload, 'sentBytes' | 'state' | 'error'> & { user: string }

/** Parley drops files that are never sent after a day; an hour is for clocks that differ. */
const keptMS = 23 * 3_600_000

/** A client's uploads with their state. What is uploaded is kept in the storage; what was not whole at a reload has failed. */
export function createUploads(client: Client, { storage }: UploadsOptions = {}): Uploads {
  const list = createStore<readonly Upload[]>([])
  const running = new Map<string, { file: FileToUpload; options: UploadOptions; end: AbortController }>()
  let user: string | undefined
  let last: Promise<void> = Promise.resolve()

  const storageKey = () => `parley.uploads.${client.clientKey.get()}`
  const find = (key: string) => list.get().find((upload) => upload.key === key)
  const become = (key: string, now: Partial<Upload>) =>
    list.set(list.get().map((upload) => (upload.key === key ? { ...upload, ...now } : upload)))

  /** A storage that fails keeps nothing, and stops no upload. */
  function keep(): void {
    const of = user
    if (!storage || of === undefined) return
    last = last
      .then(async () => {
        const others = (await readKept()).filter((kept) => kept.user !== of)
        const own = list
          .get()
          .map(({ sentBytes: _s, state: _t, error: _e, ...upload }): Kept => ({ ...upload, user: of }))
        await storage.setItem(storageKey(), JSON.stringify([...others, ...own]))
      })
      .catch(() => undefined)
  }

  async function readKept(): Promise<Kept[]> {
    const text = await storage?.getItem(storageKey())
    const all = text ? (JSON.parse(text) as Kept[]) : []
    return all.filter(({ createdAtMS }) => Date.now() - createdAtMS < keptMS)
  }

  async function run(key: string): Promise<void> {
    const job = running.get(key)
    if (!job) return
    const { signal } = job.end
    const progress = sendWithProgress(signal, (sentBytes) => become(key, { sentBytes }))
    try {
      const attachment = await client.upload(job.file, { ...job.options, signal, ...progress })
      running.delete(key)
      become(key, { state: 'uploaded', sentBytes: job.file.size, attachment })
    } catch (error) {
      become(key, { state: 'failed', error: error instanceof ParleyError ? error : networkError(error) })
    }
    keep()
  }

  /** Takes up what an earlier page left. */
  async function restore(): Promise<void> {
    const left = (await readKept().catch(() => [])).filter((kept) => kept.user === user && !find(kept.key))
    const error = new ParleyError('UPLOAD_INTERRUPTED', 'the app was loaded again before the file was uploaded')
    const restored = left.map(({ user: _user, ...upload }): Upload => {
      if (upload.attachment) return { ...upload, sentBytes: upload.size, state: 'uploaded' }
      return { ...upload, sentBytes: 0, state: 'failed', error }
    })
    if (restored.length > 0) list.set([...restored, ...list.get()])
  }

  const stop = client.me.subscribe((me) => {
    if (!me || me._id === user) return
    user = me._id
    last = last.then(restore)
    keep()
  })
  return {
    list,
    add(file, { about, name = file.name ?? 'file', ...measures }) {
      const key = randomID()
      running.set(key, { file, options: { name, ...measures }, end: new AbortController() })
      const { type, size } = file
      list.set([
        ...list.get(),
        { key, about, name, type, size, createdAtMS: Date.now(), sentBytes: 0, state: 'uploading' },
      ])
      keep()
      void run(key)
      return key
    },
    retry(key) {
      if (find(key)?.state !== 'failed' || !running.has(key)) return
      list.set(
        list.get().map((upload) => {
          if (upload.key !== key) return upload
          const { error: _, ...rest } = upload
          return { ...rest, state: 'uploading', sentBytes: 0 }
        }),
      )
      void run(key)
    },
    remove(key) {
      running.get(key)?.end.abort()
      running.delete(key)
      list.set(list.get().filter((upload) => upload.key !== key))
      keep()
    },
    close() {
      stop()
      for (const { end } of running.values()) end.abort()
    },
  }
}
