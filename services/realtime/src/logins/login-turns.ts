import type { UserSocket } from '../connections/session.ts'
import { Dismissal } from '../limits/dismissal.ts'

/**
 * Carries out the auth2 calls of a socket one after the other; one more may wait for the one in progress
 * (docs/reference/socket.md, "Authenticate").
 * @throws Dismissal when one waits already, and the error of the work
 */
export async function inTurnOfSocket<T>({ data }: UserSocket, work: () => Promise<T>): Promise<T> {
  if (data.isLoggingIn) {
    if (data.nextLogin) {
      const message = 'auth2: one call at a time, wait for its acknowledgement'
      throw new Dismissal('TOO_MANY_REQUESTS', message, { limit: 'logins_at_once', reason: 'too many logins at once' })
    }
    await new Promise<void>((resolve) => {
      data.nextLogin = resolve
    })
  }
  data.isLoggingIn = true
  try {
    return await work()
  } finally {
    const next = data.nextLogin
    data.nextLogin = undefined
    if (next) next()
    else data.isLoggingIn = false
  }
}
