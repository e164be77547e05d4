import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Bus } from '@parley/bus/connect'
import { publishPushToClients } from '@parley/bus/events/publish-captured'
import type { Logger } from '@parley/service/log'
import type { Session, UserSocket } from './session.ts'

/** The reason for which Engine.IO closes a connection without a pong. */
const pingTimeout = 'ping timeout'
/** Ends that say nothing about whether the client got what was sent since it was last heard. */
const unheardEnds: ReadonlySet<string> = new Set([pingTimeout, 'slow reader', 'token expired'])
/** A client that is there answers a ping sooner. */
const answersWithinMS = 1_000
/** A busy node pings and closes later than the settings say: a push too many is better than none. */
const lateMS = 5_000

interface HalfOpen {
  ended(socket: UserSocket, session: Session, reason: string): void
  /** Resolves when the push service has been asked for all. */
  drained(): Promise<void>
}

/**
 * Handles ended sockets: a client that did not answer may have got nothing since it was last heard, so the push service is asked to
 * push that to its device (docs/reference/push.md#recipients). A living one is connected again before the pushes are due, or has
 * answered: a draining node pings before it closes.
 */
export function watchHalfOpen(parts: {
  bus: Bus
  log: Logger
  settings: { pingIntervalMS: number; pingTimeoutMS: number }
}): HalfOpen {
  const { bus, log } = parts
  const { pingIntervalMS, pingTimeoutMS } = parts.settings
  const inFlight = createInFlight()

  /** For how long nothing has come of the client. */
  function silentMS({ connection }: UserSocket, reason: string): number {
    // A ping goes out an interval after the last pong.
    if (reason === pingTimeout) return pingIntervalMS + pingTimeoutMS
    return performance.now() - connection.heardAtMS
  }

  return {
    ended(socket, { app, user, device }, reason) {
      if (!unheardEnds.has(reason) && socket.connection.unansweredMS < answersWithinMS) return
      const sinceMS = Math.floor(clock.now() - silentMS(socket, reason) - lateMS)
      const push = { id: randomUUID(), clients: [], payload: {}, missed: { user, device, sinceMS } }
      inFlight
        .add(publishPushToClients(bus, app, push))
        .catch((error: unknown) =>
          log.warn({ err: error, app, user }, 'messages into a half-open connection not pushed'),
        )
    },
    drained: () => inFlight.drained(),
  }
}
