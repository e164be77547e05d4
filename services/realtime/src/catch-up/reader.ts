import type { IncomingEvent } from '@parley/bus/events/incoming'
import { marginMS } from '@parley/bus/stream/stream-state'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import { topicOf } from '../delivery/topics.ts'

/** So far apart the clocks of a gateway and of NATS may be: an event that seems to be older than a joining may be newer. */
const skewMS = 1_000

/** A socket that catches up, on hold. */
export interface Reader {
  socket: UserSocket
  session: Session
  /** Missed events are from this time or later, by the stream's clock (Unix milliseconds). */
  sinceMS: number
  /** The client's `since`: it has earlier events, except those within the margin. */
  readonly gaveMS: number
  /** When the user was created (Unix milliseconds): older events belong to an erased user of the ID. */
  createdMS: number
  /** When the user joined their rooms (Unix milliseconds), by ID: earlier events there were not for them. */
  readonly joinedAtMS: ReadonlyMap<string, number>
  /** When it authenticated: into rooms that `joinedAtMS` lacks it came later. */
  readonly beganMS: number
  /** The first position that it has not read; 0 before it has read any. */
  seq: number
  /** How many events it has got. */
  events: number
}

/** The outcome of reading for a socket. */
export type ReadOutcome =
  /** It has everything up to a mark; `ids` are those of the events that it may have got. */
  | { is: 'at the mark'; markSeq: number; atMS: number; ids: ReadonlySet<string> }
  /** It reads too slowly: read again from here once its buffer drains. `ids` are of events before or after that. */
  | { is: 'congested'; seq: number; atMS: number; ids: ReadonlySet<string> }
  /** The stream has dropped missed events, or there are more than a client may replay. */
  | { is: 'too old' | 'too much' }
  /** It is disconnected, or another user's. */
  | { is: 'gone' }

/** Whether the socket is the user's still. */
export function isThere({ socket, session }: Reader): boolean {
  return socket.connected && isOf(socket, session)
}

/** The position to begin at, so that no reader misses an event. */
export function startOf(readers: readonly Reader[]): { fromSeq: number } | { sinceMS: number } {
  if (readers.every(({ seq }) => seq > 0)) return { fromSeq: Math.min(...readers.map(({ seq }) => seq)) }
  return { sinceMS: Math.min(...readers.map(startMS)) }
}

/** From which time on it may have missed something: `sinceMS`, less the margin before the first reading, but nothing from before the user. */
function startMS({ sinceMS, seq, createdMS }: Reader): number {
  return Math.max(createdMS, seq > 0 ? sinceMS : sinceMS - marginMS)
}

/** A position in the stream, and when that took the event there (Unix milliseconds). */
export interface Position {
  seq: number
  takenAtMS: number
}

/** Whether the socket would have got the event of this position, were it connected then. */
export function concerns(event: IncomingEvent, at: Position, reader: Reader): boolean {
  const { session, socket } = reader
  if (at.seq < reader.seq || at.takenAtMS < startMS(reader)) return false
  // After newer ones: the stream was lost, or an operator has events published again.
  if (event.again && event.again.atMS < Math.max(reader.gaveMS - marginMS, reader.createdMS)) return false
  if (event.exceptUser === session.user) return false
  if ('user' in event.to && event.exceptDevice === session.device) return false
  if (!socket.isIn(topicOf(event.to))) return false
  return 'user' in event.to || at.takenAtMS >= (reader.joinedAtMS.get(event.to.room) ?? reader.beganMS) - skewMS
}
