import { type FailedLogins, isFailedLogin, tooManyFailedLogins } from '@parley/chat/access/failed-logins'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'

const credentials = ['im-api-key', 'im-client-key', 'im-authorization']

/**
 * Counts a request that failed for a wrong key or token; one without any does not count. When an address fails too often,
 * the error is 429 with Retry-After.
 * @returns the error to return to the client
 */
export function countFailedLogin(
  failedLogins: FailedLogins,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): unknown {
  // One whose caller is known failed for another reason, such as the ID of somebody else.
  if (!isFailedLogin(error) || request.caller || !credentials.some((name) => request.headers[name])) return error
  const seconds = failedLogins.count(request.ip)
  if (seconds === 0) return error
  void reply.header('retry-after', seconds)
  return new ApiError('TOO_MANY_REQUESTS', tooManyFailedLogins(seconds))
}
