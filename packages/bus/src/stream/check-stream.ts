import { setTimeout as pause } from 'node:timers/promises'
import { headers, PermissionViolationError } from '@nats-io/nats-core'
import { eventSubject, feedSubject, membersChangeSubject } from '@parley/contracts/bus/subjects'
import { payloadFault } from '../check-server.ts'
import type { Bus } from '../connect.ts'
import { markStream } from './stream-state.ts'

/** No app or room has such an ID, so nobody listens. */
const nowhere = { app: '\0', room: '\0' }

/**
 * Fails if the user may not publish events, which would otherwise show at the first event. Nothing is stored: the
 * streams refuse a message for another one.
 * @throws PermissionViolationError, which names the subject
 */
export async function checkEventRights({ nats }: Bus): Promise<void> {
  const subjects = [
    eventSubject(nowhere, 'chat message'),
    feedSubject(nowhere, 'block'),
    membersChangeSubject(nowhere.app, nowhere.room),
  ]
  const set = headers()
  set.set('Nats-Expected-Stream', 'PARLEY_TRIAL')
  for (const subject of subjects) {
    await nats.request(subject, '', { headers: set, timeout: 2_000 }).catch(({ cause }: Error) => {
      // The watch of the streams reports other errors.
      if (cause instanceof PermissionViolationError) throw cause
    })
  }
}

/** Less than a health check may take. */
const waitAtMostMS = 1_000
const node = 'health'

/**
 * Fails while a stream refuses the events of this process, such as without room on its disk, or NATS a subject. A
 * stream that has refused an event is tried with a mark.
 * @throws the cause
 */
export async function checkStreams(bus: Bus): Promise<void> {
  // Reported by the check of the connection.
  if (!bus.connected) return
  const refused = [...bus.refusals.streams.keys()]
  const trying = Promise.all(refused.map((stream) => markStream(bus, stream, node).catch(() => undefined)))
  if (refused.length > 0) await Promise.race([trying, pause(waitAtMostMS)])
  for (const [stream, { message }] of bus.refusals.streams) throw new Error(`${stream} refuses events: ${message}`)
  const fault = bus.refusals.denied() ?? payloadFault(bus.nats)
  if (fault) throw fault
}
