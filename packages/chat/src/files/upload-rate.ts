import { ApiError } from '@parley/contracts/errors'
import type { FileDoc } from '@parley/db/files/documents'
import type { RequestCounts } from '@parley/presence/request-counts'

/** Uploads that begin in a minute; 0 is no limit. */
export interface UploadRates {
  counts: Pick<RequestCounts, 'hit'>
  uploadsPerUser?: number
  /** Those of the integrator's own files count as calls of a key do. */
  perApiKey: number
}

const windowMS = 60_000

/** Counts an upload that begins: each one costs writes, and comes without a token. @throws ApiError TOO_MANY_REQUESTS */
export function countUpload(
  { counts, uploadsPerUser = 0, perApiKey }: UploadRates,
  { app, ownerKey }: Pick<FileDoc, 'app' | 'ownerKey'>,
): void {
  const most = ownerKey === undefined ? perApiKey : uploadsPerUser
  if (most === 0) return
  const { count, leftMS } = counts.hit(`uploads ${ownerKey ?? app}`, windowMS, most)
  if (count <= most) return
  const message = `too many uploads: try again in ${Math.ceil(leftMS / 1_000)} s`
  throw new ApiError('TOO_MANY_REQUESTS', message, { details: { retryAfterMS: leftMS } })
}
