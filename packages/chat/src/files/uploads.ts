import { ApiError, tooManyOf } from '@parley/contracts/errors'
import type { FileDoc } from '@parley/db/files/documents'
import type { RequestCounts } from '@parley/presence/request-counts'

/** Limits on the bytes of uploads in flight to one process; 0 means no limit. */
interface UploadLimits {
  bytesPerUser: number
  bytes: number
}

/** Uploads in flight to this process. */
export interface Uploads {
  /**
   * Runs an upload of a file after the previous one has ended. Its signal aborts when a newer one begins.
   * @throws ApiError UPLOAD_REPLACED, TOO_MANY_REQUESTS, and the error of the work
   */
  run<T>(file: FileDoc, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Runs work on a file once for all concurrent callers. */
  once<T>(file: FileDoc, work: () => Promise<T>): Promise<T>
}

export function createUploads(limits: UploadLimits): Uploads {
  const latest = new Map<string, { stop: AbortController; ended: Promise<void> }>()
  const bytesOf = new Map<string, number>()
  let bytes = 0
  const shared = new Map<string, Promise<unknown>>()

  /** A single upload may exceed the limit. */
  function take(user: string, size: number): void {
    const own = bytesOf.get(user) ?? 0
    const isOver = (sum: number, max: number) => max > 0 && sum > 0 && sum + size > max
    if (isOver(own, limits.bytesPerUser) || isOver(bytes, limits.bytes)) {
      throw new ApiError('TOO_MANY_REQUESTS', 'too many bytes are being uploaded: try again when an upload has ended')
    }
    bytesOf.set(user, own + size)
    bytes += size
  }

  function giveBack(user: string, size: number): void {
    const left = (bytesOf.get(user) ?? 0) - size
    if (left > 0) bytesOf.set(user, left)
    else bytesOf.delete(user)
    bytes -= size
  }

  return {
    async run({ _id, app, ownerKey = app, size }, work) {
      const before = latest.get(_id)
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const mine = { stop: new AbortController(), ended }
      latest.set(_id, mine)
      before?.stop.abort(new ApiError('UPLOAD_REPLACED'))
      await before?.ended
      try {
        mine.stop.signal.throwIfAborted()
        take(ownerKey, size)
        return await work(mine.stop.signal).finally(() => giveBack(ownerKey, size))
      } finally {
        if (latest.get(_id) === mine) latest.delete(_id)
        end()
      }
    },
    async once<T>({ _id }: FileDoc, work: () => Promise<T>): Promise<T> {
      const running = shared.get(_id) ?? work().finally(() => shared.delete(_id))
      shared.set(_id, running)
      return running as Promise<T>
    },
  }
}

/** Uploads per minute; 0 means no limit. */
export interface UploadRates {
  counts: Pick<RequestCounts, 'hit'>
  uploadsPerUser?: number
  /** Limit for the integrator's own files, that of an API key. */
  perApiKey: number
}

const windowMS = 60_000

/** Counts the start of an upload, since each costs writes and needs no token. @throws ApiError TOO_MANY_REQUESTS */
export function countUpload(
  { counts, uploadsPerUser = 0, perApiKey }: UploadRates,
  { app, ownerKey }: Pick<FileDoc, 'app' | 'ownerKey'>,
): void {
  const max = ownerKey === undefined ? perApiKey : uploadsPerUser
  if (max === 0) return
  const { count, leftMS } = counts.hit(`uploads ${ownerKey ?? app}`, windowMS, max)
  if (count > max) throw tooManyOf('uploads', leftMS)
}
