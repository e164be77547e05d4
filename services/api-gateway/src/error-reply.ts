import { isDependencyAway } from '@parley/chat/dependency-away'
import { toBareError, toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import type { Operation } from '@parley/contracts/operation'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asBareCode, isBare } from './authenticate.ts'
import { explainInvalidInput, InvalidInput } from './invalid-input.ts'

/** Answers every error of every route, in the form of its operation; what is unforeseen shows nothing of the inside. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config.operation
  const known = toApiError(error, request, operation)
  if (known.status >= 500) request.log.error({ err: error }, known.message)
  const bare = operation !== undefined && isBare(operation, request.body)
  const body = bare ? toBareError(asBareCode(known)) : toErrorEnvelope(known)
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
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_UNDER_PRESSURE: 'SERVICE_UNAVAILABLE',
}

function toApiError(error: unknown, request: FastifyRequest, operation: Operation | undefined): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof InvalidInput && operation) return explainInvalidInput(operation, error, request.body)
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const mapped = fastifyCodes[code]
  if (mapped) return new ApiError(mapped)
  if (statusCode < 500) return new ApiError(operation ? 'INVALID_REQUEST' : 'NOT_FOUND')
  if (isDependencyAway(error)) return new ApiError('SERVICE_UNAVAILABLE')
  return new ApiError('INTERNAL_ERROR')
}
