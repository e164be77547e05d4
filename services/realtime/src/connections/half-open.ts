import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { publishPushToClients } from '@parley/bus/events/publish-captured'
import type { Logger } from '@parley/service/log'
import type { Session } from './session.ts'

/** The reason for which Engine.IO closes a connection without a pong. */
const pingTimeout = 'ping timeout'
/** A busy node pings and closes later than the settings say: a push too many is better than none. */
const lateMS = 5_000

/**
 * Makes the handler of ended sockets: one that stopped answering may have got nothing since its last pong, so the push service
 * is asked to push that to its device (docs/reference/push.md#recipients).
 */
export function watchHalfOpen(parts: {
  bus: Bus
  log: Logger
  settings: { pingIntervalMS: number; pingTimeoutMS: number }
}): (session: Session, reason: string) => void {
  const { bus, log } = parts
  const { pingIntervalMS, pingTimeoutMS } = parts.settings
  return ({ app, user, device }, reason) => {
    if (reason !== pingTimeout) return
    // A ping goes out an interval after the last pong.
    const sinceMS = Math.floor(clock.now() - pingIntervalMS - pingTimeoutMS - lateMS)
    const push = { id: randomUUID(), clients: [], payload: {}, missed: { user, device, sinceMS } }
    publishPushToClients(bus, app, push).catch((error: unknown) =>
      log.warn({ err: error, app, user }, 'messages into a half-open connection not pushed'),
    )
  }
}
