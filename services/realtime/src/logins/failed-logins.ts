import { type FailedLogins, failedLoginCode } from '@parley/chat/access/failed-logins'
import { ApiError } from '@parley/contracts/errors'
import type { UserSocket } from '../connections/session.ts'
import { Dismissal } from '../limits/dismissal.ts'

/** A socket with this many failed logins in a row is closed (docs/reference/socket.md, "Authenticate"). */
const maxOfSocket = 3

/**
 * Counts a login that fails for a wrong token or client key.
 * @throws Dismissal, after which the client stays away, if the address or the socket has failed too often; and the
 *   error of the login
 */
export async function countFailures<T>(
  failedLogins: FailedLogins,
  socket: UserSocket,
  presented: { token: string; clientKey: string | undefined },
  login: () => Promise<T>,
): Promise<T> {
  try {
    const outcome = await login()
    socket.data.failedLogins = 0
    return outcome
  } catch (error) {
    if (!(error instanceof ApiError) || failedLoginCode(error) === undefined) throw error
    const { token: INVALID_TOKEN, clientKey: INVALID_CLIENT_KEY } = presented
    const ofSocket = ++socket.data.failedLogins
    const judged = await failedLogins.judge(socket.handshake.address, error, { INVALID_TOKEN, INVALID_CLIENT_KEY })
    if (judged !== error && judged instanceof ApiError) {
      throw new Dismissal(
        judged.code,
        judged.message,
        { limit: 'failed_logins_per_address', reason: 'too many failed logins' },
        judged.details,
      )
    }
    if (ofSocket < maxOfSocket) throw error
    throw new Dismissal(error.code, error.message, { limit: 'failed_logins', reason: 'too many failed logins' })
  }
}
