import { type FailedLogins, isFailedLogin, tooManyFailedLogins } from '@parley/chat/access/failed-logins'
import type { ApiError } from '@parley/contracts/errors'
import type { UserSocket } from '../connections/session.ts'
import { Dismissal } from '../limits/dismissal.ts'

/** A socket whose logins fail so often without one that succeeds is closed (docs/reference/socket.md, "Authenticate"). */
const mostOfSocket = 3

/**
 * Counts a login when it fails for a wrong token or client key.
 * @throws Dismissal, after which the client stays away, when the address or the socket has failed too often; and the
 *   error of the login
 */
export async function countFailures<T>(
  failedLogins: FailedLogins,
  socket: UserSocket,
  login: () => Promise<T>,
): Promise<T> {
  try {
    const outcome = await login()
    socket.data.failedLogins = 0
    return outcome
  } catch (error) {
    throw isFailedLogin(error) ? refusal(failedLogins, socket, error) : error
  }
}

function refusal(failedLogins: FailedLogins, socket: UserSocket, error: ApiError): ApiError {
  const ofSocket = ++socket.data.failedLogins
  const seconds = failedLogins.count(socket.handshake.address)
  if (seconds > 0) {
    const limit = { limit: 'failed_logins_per_address', reason: 'too many failed logins' } as const
    return new Dismissal('TOO_MANY_REQUESTS', tooManyFailedLogins(seconds), limit)
  }
  if (ofSocket < mostOfSocket) return error
  return new Dismissal(error.code, error.message, { limit: 'failed_logins', reason: 'too many failed logins' })
}
