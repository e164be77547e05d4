import { startRunning } from '@parley/async/run-every'
import { livingTokens } from '@parley/chat/access/living-tokens'
import type { Chat } from '@parley/chat/chat'
import { closeSocket } from '../connections/close-socket.ts'
import type { Session } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'

const lookEveryMS = 1_000
/** Before a token ends, it is looked up: it may have been bound again with another end. */
const aheadMS = 2 * lookEveryMS

/** Closes sockets whose token has expired, until it is stopped; stopping settles when the current look is over. */
export function watchTokenEnds(
  chat: Pick<Chat, 'db' | 'log'>,
  sockets: Pick<Sockets, 'all'>,
): { stop(): Promise<void> } {
  /** The end before which the token of a session was looked up. */
  const lookedUp = new WeakMap<Session, number>()

  async function look(): Promise<void> {
    const nowMS = Date.now()
    const toLookUp: Session[] = []
    for (const socket of sockets.all()) {
      const { session } = socket.data
      const endMS = session?.expiresAt.getTime() ?? Number.POSITIVE_INFINITY
      if (!session || endMS > nowMS + aheadMS) continue
      if (lookedUp.get(session) !== endMS) toLookUp.push(session)
      else if (endMS <= nowMS) closeSocket(socket, 'token ended')
    }
    // Where they cannot be read, they end as is known.
    for (const session of toLookUp) lookedUp.set(session, session.expiresAt.getTime())
    for (const [session, expiresAt] of await livingTokens(chat, toLookUp)) session.expiresAt = expiresAt
  }

  return startRunning(lookEveryMS, look, (error) =>
    chat.log.warn({ err: error }, 'tokens not read before their end: their sockets are closed then'),
  )
}
