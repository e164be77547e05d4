import { BusAway } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import { isDatabaseAway } from '@parley/db/connect'
import { KeyTaken } from '@parley/db/transactions/transaction'
import { isPresenceAway } from '@parley/presence/connect'

/** The error that the caller gets for any failure of a use case, without internal details. */
export function apiErrorOf(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  if (cause instanceof KeyTaken) return new ApiError('CONFLICT', undefined, { cause })
  return new ApiError(isDependencyAway(cause) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR', undefined, { cause })
}

/** Whether MongoDB, NATS or Redis is away or too slow, so that the caller can retry. */
function isDependencyAway(error: unknown): boolean {
  return error instanceof BusAway || isDatabaseAway(error) || isPresenceAway(error)
}

/** @throws ApiError SERVICE_UNAVAILABLE */
export function busAway(cause: unknown): never {
  throw new ApiError('SERVICE_UNAVAILABLE', 'the message bus is away: try again', { cause })
}
