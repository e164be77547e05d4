import { type FailedLogins, failedLoginCode } from '@parley/chat/access/failed-logins'
import type { FastifyRequest } from 'fastify'

/** Counts a request that failed for a wrong key or token. @returns the error to return to the client */
export function judgeRefusal(failedLogins: FailedLogins, error: unknown, request: FastifyRequest): unknown {
  // A known caller failed for another reason, such as another user's ID.
  if (request.caller || failedLoginCode(error) === undefined) return error
  return failedLogins.judge(request.ip, error, {
    INVALID_API_KEY: textOf(request.headers['im-api-key']),
    INVALID_CLIENT_KEY: textOf(request.headers['im-client-key']),
    INVALID_TOKEN: textOf(request.headers['im-authorization']),
  })
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
