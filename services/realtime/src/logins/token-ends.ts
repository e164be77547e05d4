import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Log } from '@parley/chat/ports'
import { closeSocket } from '../connections/close-socket.ts'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'

const checkEveryMS = 1_000
/** A token is looked up this long before its end: it may have been bound again with a later one. */
const aheadMS = 2 * checkEveryMS
/** Every token is looked up at this interval: it may have been bound again with an earlier end. */
const defaultAgainMS = 60_000
/** Looked up in one query: a storm of logins comes due at once. */
const maxAgain = 2_000

/**
 * Closes sockets with an expired token, until it is stopped; stopping resolves when the current lookup is over.
 * @param readActive which tokens of these sessions are still valid, and when they end
 */
export function watchTokenEnds(
  { readActive, log }: { readActive: (sessions: readonly Session[]) => Promise<Map<Session, Date>>; log: Log },
  sockets: Pick<Sockets, 'all'>,
  againMS = defaultAgainMS,
): { stop(): Promise<void> } {
  /** The end of the session's token at the last lookup, and when that was. */
  const lookedUp = new WeakMap<Session, { endMS: number; atMS: number }>()

  function findDue(nowMS: number): Map<Session, UserSocket> {
    const [ending, again] = [new Map<Session, UserSocket>(), new Map<Session, UserSocket>()]
    for (const socket of sockets.all()) {
      const { session } = socket.data
      if (!session) continue
      const endMS = session.expiresAt.getTime()
      const before = lookedUp.get(session)
      if (endMS > nowMS + aheadMS) {
        const isDue = nowMS - (before?.atMS ?? session.sinceMS) >= againMS
        if (isDue && again.size < maxAgain) again.set(session, socket)
      } else if (!before || before.endMS !== endMS || before.atMS < endMS - aheadMS) ending.set(session, socket)
      else if (endMS <= nowMS) closeSocket(socket, session.isOwnLogin ? 'token expired' : 'token ended')
    }
    return new Map([...ending, ...again])
  }

  async function check(): Promise<void> {
    const nowMS = clock.now()
    const due = findDue(nowMS)
    // If they cannot be read, they end at the known time.
    for (const session of due.keys()) lookedUp.set(session, { endMS: session.expiresAt.getTime(), atMS: nowMS })
    const active = await readActive([...due.keys()])
    for (const [session, socket] of due) {
      const expiresAt = active.get(session)
      if (expiresAt) session.expiresAt = expiresAt
      else if (isOf(socket, session)) {
        const hasExpired = session.isOwnLogin && session.expiresAt.getTime() <= clock.now()
        closeSocket(socket, hasExpired ? 'token expired' : 'token ended')
      }
    }
  }

  return startRunning(checkEveryMS, check, (error) =>
    log.warn({ err: error }, 'expiring tokens not read again: their sockets close at the known expiry'),
  )
}
