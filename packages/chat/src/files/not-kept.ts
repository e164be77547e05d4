import { ApiError } from '@parley/contracts/errors'
import { StoreFull, UploadRemoved, WrongSize } from '@parley/files/file-store'

/** Runs work of the store. @throws ApiError for its failure */
export async function orNotKept<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    throw notKept(error)
  }
}

/** The caller's error for a failure of the store, or of the upload. */
export function notKept(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UploadRemoved) return new ApiError('UPLOAD_REPLACED')
  if (error instanceof StoreFull) return new ApiError('STORAGE_FULL', undefined, { cause: error })
  if (error instanceof WrongSize)
    return new ApiError(error.isTooLarge ? 'FILE_TOO_LARGE' : 'INVALID_BODY', `the body: ${error.message}`)
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return new ApiError('INVALID_BODY', 'the body broke off')
  return new ApiError('SERVICE_UNAVAILABLE', 'the file could not be kept: try again', { cause: error })
}
