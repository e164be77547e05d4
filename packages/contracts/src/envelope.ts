import { z } from 'zod'
import { type ApiError, type ErrorCode, type ErrorDetails, errorCatalogue } from './errors.ts'

/** `{RC: 0, RM, result}` (docs/reference/README.md#conventions). */
export function envelope<T extends z.ZodType>(result: T) {
  return z.object({ RC: z.literal(0), RM: z.string(), result })
}

/** `{RC, RM, error: {code, message}}` with RC the HTTP status (docs/reference/README.md#conventions). */
export function errorEnvelope(codes: readonly ErrorCode[]) {
  const status = codes[0] === undefined ? 500 : errorCatalogue[codes[0]].status
  return z.object({
    RC: z.literal(status),
    RM: z.string(),
    error: z.object({
      code: z.enum(codes as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      ...(codes.includes('CURSOR_GONE') && {
        oldest: z.string().optional().describe('Oldest available cursor'),
      }),
      ...(codes.some((code) => code === 'SLOW_MODE' || code === 'TOO_MANY_REQUESTS') && {
        retryAfterMS: z.number().int().optional().describe('Milliseconds to wait before a retry'),
      }),
    }),
  })
}

/** `{error, message}`: the error form of the endpoints that revoke tokens or assign external ones. */
export function bareError(codes: readonly ErrorCode[]) {
  return z.object({ error: z.enum(codes as [ErrorCode, ...ErrorCode[]]), message: z.string() })
}

export type Envelope<T> = { RC: 0; RM: string; result: T }
export type ErrorEnvelope = { RC: number; RM: string; error: { code: ErrorCode; message: string } & ErrorDetails }
export type BareError = { error: ErrorCode; message: string }

export function okEnvelope<T>(result: T): Envelope<T> {
  return { RC: 0, RM: 'OK', result }
}

export function toErrorEnvelope(error: ApiError): ErrorEnvelope {
  return { RC: error.status, RM: error.message, error: { code: error.code, message: error.message, ...error.details } }
}

export function toBareError(error: ApiError): BareError {
  return { error: error.code, message: error.message }
}
