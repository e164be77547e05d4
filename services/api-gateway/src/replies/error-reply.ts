import { apiErrorOf } from '@parley/chat/api-error-of'
import { toBareError, toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import type { Operation } from '@parley/contracts/operation'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { operationsAt } from '../documents/openapi-shapes.ts'
import { asBareCode, isBare } from '../requests/authenticate.ts'
import { explainInvalidInput, InvalidInput } from '../requests/invalid-input.ts'

/** Sends errors in the form of their operation; unexpected ones without internal details. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config.operation ?? operationsAt(request.originalUrl)[0]
  const known = toApiError(error, request, operation)
  const bare = operation !== undefined && isBare(operation, request.body)
  const shown = bare ? asBareCode(known) : known
  const body = bare ? toBareError(shown) : toErrorEnvelope(shown)
  request.errorCode = shown.code
  if (known.status >= 500) {
    const about = { request: request.id, app: request.caller?.app, code: known.code }
    request.log.error({ err: error, ...about }, 'request failed')
  }
  // Fastify closes the connection when it refuses a body; we read the rest of it instead (refused-requests.ts).
  reply.removeHeader('connection')
  const { retryAfterMS } = known.details
  if (retryAfterMS !== undefined) reply.header('retry-after', Math.ceil(retryAfterMS / 1_000))
  if (known.code === 'TOO_MANY_REQUESTS' && !reply.hasHeader('retry-after')) reply.header('retry-after', 1)
  void reply
    .code(known.status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(body)
}

const fastifyCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_BODY',
}

function toApiError(error: unknown, request: FastifyRequest, operation: Operation | undefined): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof InvalidInput && operation) return explainInvalidInput(operation, error, request.body)
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const mapped = fastifyCodes[code]
  if (mapped) return new ApiError(mapped)
  if (statusCode < 500) return new ApiError(operation ? 'INVALID_REQUEST' : 'NOT_FOUND')
  return apiErrorOf(error)
}
