import type { Client } from '../client.ts'
import type { Announced, FileToUpload, UploadOptions } from '../files/files.ts'
import { asParleyError, errorOf, networkError, type ParleyError } from '../parley-error.ts'
import { randomID } from '../random-id.ts'
import type { Storage } from '../sending/outbox-storage.ts'
import { createStore } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'
import { keptUploads, type Measures } from './kept-uploads.ts'
import type { FileStorage, Upload, Uploads } from './upload.ts'

export interface UploadsOptions {
  /** Keeps the list across reloads. Use sessionStorage, which belongs to one tab. */
  storage?: Storage
  /**
   * Keeps the bytes of unfinished uploads, which then restart after a reload. Without it, they fail. Requires
   * `storage`.
   */
  files?: FileStorage
}

interface Job {
  file: FileToUpload
  name: string
  measures: Measures
  end: AbortController
  /** The announcement and its user. A retry reuses its URL. */
  announced?: { user: string | undefined; file: Announced } | undefined
}

/** Errors after which a retry announces the file anew. */
const announcementGone = new Set(['FILE_NOT_FOUND', 'FILE_URL_INVALID'])

/** A client's uploads with their state. */
export function createUploads(client: Client, { storage, files }: UploadsOptions = {}): Uploads {
  const list = createStore<readonly Upload[]>([])
  const kept = keptUploads(storage, files, () => `parley.uploads.${client.clientKey.get()}`)
  const running = new Map<string, Job>()
  let user: string | undefined

  const find = (key: string) => list.get().find((upload) => upload.key === key)
  function become(key: string, now: Partial<Upload>): void {
    const before = find(key)
    if (!before) return
    list.set(withReplaced(list.get(), before, { ...before, ...now }))
  }
  function keep(): void {
    if (user !== undefined) kept.write(user, list.get, (key) => running.get(key)?.measures)
  }

  async function run(key: string): Promise<void> {
    const job = running.get(key)
    if (!job) return
    try {
      const attachment = await upload(client, job, user, (sentBytes) => become(key, { sentBytes }))
      running.delete(key)
      kept.removeFile(key)
      become(key, { state: 'uploaded', sentBytes: job.file.size, attachment })
    } catch (thrown) {
      become(key, { state: 'failed', error: asParleyError(thrown) })
    }
    keep()
  }
  function begin(key: string, job: Omit<Job, 'end'>): void {
    running.set(key, { ...job, end: new AbortController() })
  }
  function retry(key: string): void {
    if (find(key)?.state !== 'failed' || !running.has(key)) return
    become(key, { state: 'uploading', sentBytes: 0, error: undefined })
    void run(key)
  }

  const stop = client.me.subscribe((me) => {
    if (!me || me._id === user) return
    user = me._id
    kept.restore(user, (left) => {
      const missing = left.filter(({ upload: { key } }) => !find(key))
      list.set([...missing.map(({ upload }) => upload), ...list.get()])
      for (const { upload, file, measures = {} } of missing) {
        if (!file) continue
        begin(upload.key, { file, name: upload.name, measures })
        retry(upload.key)
      }
    })
    keep()
  })
  return {
    list,
    add(file, { about, name = file.name ?? 'file', ...measures }) {
      const { type, size } = file
      const begun = { key: randomID(), about, name, type, size, createdAtMS: Date.now() }
      begin(begun.key, { file, name, measures })
      kept.setFile(begun.key, file)
      list.set([...list.get(), { ...begun, sentBytes: 0, state: 'uploading' }])
      keep()
      void run(begun.key)
      return begun.key
    },
    retry,
    remove(key) {
      running.get(key)?.end.abort()
      running.delete(key)
      kept.removeFile(key)
      list.set(list.get().filter((upload) => upload.key !== key))
      keep()
    },
    close() {
      stop()
      for (const { end } of running.values()) end.abort()
    },
  }
}

/** Uploads the file. A retry by the same user reuses the previous attempt's URL. */
async function upload(client: Client, job: Job, user: string | undefined, onSent: (sentBytes: number) => void) {
  const { signal } = job.end
  try {
    return await client.upload(job.file, {
      name: job.name,
      ...job.measures,
      ...sendWithProgress(signal, onSent),
      signal,
      announced: job.announced?.user === user ? job.announced?.file : undefined,
      onAnnounced: (file) => {
        job.announced = { user, file }
      },
    })
  } catch (thrown) {
    if (announcementGone.has(asParleyError(thrown).code)) job.announced = undefined
    throw thrown
  }
}

/** The used part of XMLHttpRequest. */
interface Request {
  status: number
  response: unknown
  responseType: string
  upload: Pick<EventTarget, 'addEventListener'>
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob): void
  abort(): void
}

/** Returns a `send` option that reports progress. Only XMLHttpRequest can; without it, as in Node.js, returns none. */
function sendWithProgress(signal: AbortSignal, onProgress: (sentBytes: number) => void): Pick<UploadOptions, 'send'> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Request }
  if (!XMLHttpRequest) return {}
  return {
    send({ method, url, headers }, file) {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      return new Promise<void>((resolve, reject: (error: ParleyError) => void) => {
        if (signal.aborted) return reject(networkError(signal.reason))
        request.open(method, url)
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
        request.responseType = 'json'
        request.upload.addEventListener('progress', (event) => onProgress((event as Event & { loaded: number }).loaded))
        request.addEventListener('load', () => {
          const { status, response } = request
          if (status >= 200 && status < 300) resolve()
          else reject(errorOf(status, response))
        })
        request.addEventListener('error', () => reject(networkError('the upload was interrupted')))
        request.addEventListener('abort', () => reject(networkError(signal.reason)))
        signal.addEventListener('abort', abort)
        request.send(file)
      }).finally(() => signal.removeEventListener('abort', abort))
    },
  }
}
