import type { Client } from '../client.ts'
import type { Announced, FileToUpload, UploadOptions } from '../files/files.ts'
import { asParleyError } from '../parley-error.ts'
import { randomID } from '../random-id.ts'
import type { Storage } from '../sending/outbox-storage.ts'
import { createStore } from '../store.ts'
import { keptUploads } from './kept-uploads.ts'
import { sendWithProgress } from './send-with-progress.ts'
import type { Upload, Uploads } from './upload.ts'

export interface UploadsOptions {
  /** Where uploaded files survive a reload: sessionStorage, since each tab has its own. */
  storage?: Storage
}

interface Job {
  file: FileToUpload
  options: UploadOptions
  end: AbortController
  /** The user and the announcement: a retry uses the same address. */
  announced?: { user: string | undefined; file: Announced } | undefined
}

/** After these a retry announces the file anew. */
const announcementGone = new Set(['FILE_NOT_FOUND', 'FILE_URL_INVALID'])

/**
 * A client's uploads with their state. Finished uploads are kept in the storage; unfinished ones have failed after a
 * reload.
 */
export function createUploads(client: Client, { storage }: UploadsOptions = {}): Uploads {
  const list = createStore<readonly Upload[]>([])
  const kept = keptUploads(storage, () => `parley.uploads.${client.clientKey.get()}`)
  const running = new Map<string, Job>()
  let user: string | undefined

  const find = (key: string) => list.get().find((upload) => upload.key === key)
  function become(key: string, now: Partial<Upload>): void {
    const before = find(key)
    if (!before) return
    const upload = { ...before, ...now }
    list.set(list.get().map((one) => (one === before ? upload : one)))
  }
  function keep(): void {
    if (user !== undefined) kept.write(user, list.get)
  }

  async function run(key: string): Promise<void> {
    const job = running.get(key)
    if (!job) return
    const { signal } = job.end
    const progress = sendWithProgress(signal, (sentBytes) => become(key, { sentBytes }))
    try {
      const attachment = await client.upload(job.file, {
        ...job.options,
        ...progress,
        signal,
        announced: job.announced?.user === user ? job.announced?.file : undefined,
        onAnnounced: (file) => {
          job.announced = { user, file }
        },
      })
      running.delete(key)
      become(key, { state: 'uploaded', sentBytes: job.file.size, attachment })
    } catch (thrown) {
      const error = asParleyError(thrown)
      if (announcementGone.has(error.code)) job.announced = undefined
      become(key, { state: 'failed', error })
    }
    keep()
  }

  const stop = client.me.subscribe((me) => {
    if (!me || me._id === user) return
    user = me._id
    kept.restore(user, (left) => list.set([...left.filter(({ key }) => !find(key)), ...list.get()]))
    keep()
  })
  return {
    list,
    add(file, { about, name = file.name ?? 'file', ...measures }) {
      const { type, size } = file
      const begun = { key: randomID(), about, name, type, size, createdAtMS: Date.now() }
      running.set(begun.key, { file, options: { name, ...measures }, end: new AbortController() })
      list.set([...list.get(), { ...begun, sentBytes: 0, state: 'uploading' }])
      keep()
      void run(begun.key)
      return begun.key
    },
    retry(key) {
      const failed = find(key)
      if (failed?.state !== 'failed' || !running.has(key)) return
      const { error: _, ...rest } = failed
      const again: Upload = { ...rest, state: 'uploading', sentBytes: 0 }
      list.set(list.get().map((one) => (one === failed ? again : one)))
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
