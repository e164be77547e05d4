import { clock } from '@parley/async/clock'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { Audience } from '@parley/contracts/bus/subjects'
import { maxLateMS } from '@parley/socketio/sockets/newcomers'
import type { UserSocket } from '../connections/session.ts'

/** Clock skew between gateways, MongoDB and NATS: an event that looks older than a join may be newer. */
export const skewMS = 1_000

/** The topic of a chat room's or a user's events. */
export function topicOf(to: Audience): string {
  return 'room' in to ? `r\0${to.app}\0${to.room}` : `u\0${to.app}\0${to.user}`
}

export function audienceOf(topic: string): Audience {
  const [kind, app = '', id = ''] = topic.split('\0')
  return kind === 'r' ? { app, room: id } : { app, user: id }
}

/**
 * Joins a socket to the topic of a room.
 * @param afterMS when its user became a member, by the room's clock: earlier messages, however late they come, are not for it
 */
export function joinTopic(socket: UserSocket, topic: string, afterMS: number): void {
  socket.join(topic, afterMS > clock.now() - maxLateMS ? afterMS : undefined)
}

/**
 * Whether an event of a room may have happened after a user joined it (Unix milliseconds). For a message this is exact, since
 * its acceptance and the join are dated by the room's clock.
 */
export function isAfterJoin({ acceptedAtMS }: IncomingEvent, takenAtMS: number, joinedAtMS: number): boolean {
  return acceptedAtMS === undefined ? takenAtMS >= joinedAtMS - skewMS : acceptedAtMS > joinedAtMS
}
