import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { Audience } from '@parley/contracts/bus/subjects'

/** Clock skew between gateways, MongoDB and NATS: an event that looks older than a join may be newer. */
const skewMS = 1_000

/** The topic of a chat room's or a user's events. */
export function topicOf(to: Audience): string {
  return 'room' in to ? `r\0${to.app}\0${to.room}` : `u\0${to.app}\0${to.user}`
}

export function audienceOf(topic: string): Audience {
  const [kind, app = '', id = ''] = topic.split('\0')
  return kind === 'r' ? { app, room: id } : { app, user: id }
}

/**
 * Whether an event of a room may have happened after a user joined it (Unix milliseconds). A message is dated by its
 * acceptance: after an outage, the stream takes it late.
 */
export function isAfterJoin({ acceptedAtMS }: IncomingEvent, takenAtMS: number, joinedAtMS: number): boolean {
  return (acceptedAtMS ?? takenAtMS) >= joinedAtMS - skewMS
}
