import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Bus } from '@parley/bus/connect'
import { publishPushToClients } from '@parley/bus/events/publish'
import type { Logger } from '@parley/service/log'
import type { Session, UserSocket } from './session.ts'

/** The reason for which Engine.IO closes a connection without a pong. */
const pingTimeout = 'ping timeout'
/** Close reasons after which the client may have missed everything since its last packet. */
const unheardEnds: ReadonlySet<string> = new Set([pingTimeout, 'slow reader', 'token expired'])
/** A live client answers a ping within this time. */
const answersWithinMS = 1_000
/** Allows for a busy node, which pings and closes late: a push too many is better than none. */
const lateMS = 5_000

/**
 * Handles ended sockets: a client that did not answer may have missed everything since its last packet, so the push
 * service pushes that to its device (docs/reference/push.md#recipients). A live client reconnects before the pushes
 * are due, or has answered: a draining node pings before it closes.
 */
export function watchHalfOpen(parts: {
  bus: Bus
  log: Logger
  settings: { pingIntervalMS: number; pingTimeoutMS: number }
}) {
  const { bus, log } = parts
  const { pingIntervalMS, pingTimeoutMS } = parts.settings
  const inFlight = createInFlight()

  /** Milliseconds since the client was last heard. */
  function silentMS({ connection }: UserSocket, reason: string): number {
    // A ping goes out an interval after the last pong.
    if (reason === pingTimeout) return pingIntervalMS + pingTimeoutMS
    return performance.now() - connection.heardAtMS
  }

  return {
    ended(socket: UserSocket, { app, user, device }: Session, reason: string) {
      if (!unheardEnds.has(reason) && socket.connection.unansweredMS < answersWithinMS) return
      const sinceMS = Math.floor(clock.now() - silentMS(socket, reason) - lateMS)
      const push = { id: randomUUID(), clients: [], payload: {}, missed: { user, device, sinceMS } }
      inFlight
        .add(publishPushToClients(bus, app, push))
        .catch((error: unknown) => log.warn({ err: error, app, user }, 'push for a half-open connection not requested'))
    },
    /** Resolves when all pushes are requested. */
    drained: () => inFlight.drained(),
  }
}
