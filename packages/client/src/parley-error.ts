import type { ErrorCode } from './generated/types.ts'

/**
 * Why a call failed: a code of the API (docs/errors.md) or of the library:
 * - NETWORK_ERROR: no response; the call may or may not have taken effect.
 * - CLOSED: the client was closed.
 * - OUTCOME_UNKNOWN: a queued message was tried so long ago that Parley no longer dedupes a retry.
 * - UPLOAD_INTERRUPTED: the app was reloaded before an upload finished.
 * - INVALID_SIGNATURE: Parley did not sign the webhook call, or signed it too long ago.
 */
export type ParleyErrorCode =
  | ErrorCode
  | 'NETWORK_ERROR'
  | 'CLOSED'
  | 'OUTCOME_UNKNOWN'
  | 'UPLOAD_INTERRUPTED'
  | 'INVALID_SIGNATURE'

export class ParleyError extends Error {
  readonly code: ParleyErrorCode
  /** The HTTP status; 0 when there was no response. */
  readonly status: number
  /** How long to wait before a retry, if the server says so. */
  readonly retryAfterMS: number | undefined
  /** With CURSOR_GONE: the oldest cursor that is still available. */
  readonly oldest: string | undefined

  constructor(
    code: ParleyErrorCode,
    message: string,
    status = 0,
    retryAfterMS?: number,
    options?: ErrorOptions & { oldest?: string | undefined },
  ) {
    super(message, options)
    this.name = 'ParleyError'
    this.code = code
    this.status = status
    this.retryAfterMS = retryAfterMS
    this.oldest = options?.oldest
  }
}

/** Whether the same call may succeed later, without any intervention. */
export function isTransient(error: unknown): error is ParleyError {
  if (!(error instanceof ParleyError)) return false
  const { code, status } = error
  return code === 'NETWORK_ERROR' || status === 408 || status === 429 || status >= 500
}

/**
 * The error of a response, in the envelope or the bare form (docs/reference/README.md#conventions).
 * @param retryAfterHeaderMS used if the body does not say how long to wait
 */
export function errorOf(status: number, body: unknown, retryAfterHeaderMS?: number): ParleyError {
  const { error, message, RM } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: string | { code?: string; message?: string; oldest?: string; retryAfterMS?: number }
    message?: string
    RM?: string
  }
  const code = typeof error === 'string' ? error : error?.code
  const text = (typeof error === 'string' ? message : error?.message) ?? RM ?? `HTTP status ${status}`
  // A response from elsewhere, such as a proxy's error page, has no code.
  const known = code ?? (status >= 500 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
  const { oldest, retryAfterMS = retryAfterHeaderMS } = typeof error === 'object' ? error : {}
  return new ParleyError(known as ErrorCode, text, status, retryAfterMS, { oldest })
}

/** The error as a ParleyError; any other error means that no response arrived. */
export const asParleyError = (error: unknown): ParleyError =>
  error instanceof ParleyError ? error : networkError(error)

export function networkError(cause: unknown): ParleyError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new ParleyError('NETWORK_ERROR', message, 0, undefined, { cause })
}
