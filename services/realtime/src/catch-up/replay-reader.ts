import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { Beginning, Positions } from '@parley/bus/stream/read-stream'
import { marginMS } from '@parley/bus/stream/stream-state'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import type { NextSeq } from '../delivery/in-order.ts'
import { isAfterJoin, skewMS, topicOf } from '../delivery/topics.ts'

/** A socket with a replay buffer that reads its missed events. */
export interface ReplayReader {
  socket: UserSocket
  session: Session
  /** Missed events are from this time or later, by the stream's clock (Unix milliseconds). */
  sinceMS: number
  /** The client's `since`: it has earlier events, except those within the margin. */
  readonly givenSinceMS: number
  /** When the user was created (Unix milliseconds): older events belong to an erased user of the ID. */
  createdMS: number
  /** When the user joined their rooms (Unix milliseconds), by ID: earlier events of the room are not for them. */
  readonly joinedAtMS: ReadonlyMap<string, number>
  /** When it authenticated; it joined rooms missing in `joinedAtMS` later. */
  readonly beganMS: number
  /** First position to read, by stream name; empty before the first read. */
  from: Positions
  /** By ID, the positions of events from there on that it was sent before an earlier one. */
  sent: ReadonlyMap<string, Position>
  /** By topic, the next message of the room and its threads from there on, as far as an earlier read knew. */
  nextSeqs: ReadonlyMap<string, readonly NextSeq[]>
  /** Number of events sent. */
  events: number
}

export type ReadOutcome =
  /** It has everything up to a mark; `ids` are the events that it may have. */
  | { is: 'at the mark'; marks: Positions; atMS: number; ids: ReadonlySet<string> }
  /** It reads too slowly: resume here once its buffer drains. `ids` are of events before or after that. */
  | ({ is: 'congested'; atMS: number; ids: ReadonlySet<string> } & Pick<ReplayReader, 'from' | 'sent' | 'nextSeqs'>)
  /** The stream has dropped missed events, or there are more than a client may replay. */
  | { is: 'too old' | 'too much' }
  /** It is disconnected, or another user's. */
  | { is: 'gone' }

/** Whether the socket is connected and still the user's. */
export function isConnected({ socket, session }: ReplayReader): boolean {
  return socket.connected && isOf(socket, session)
}

/** Where to start in a stream, so that no reader misses an event. */
export function startOf(readers: readonly ReplayReader[], stream: string): Beginning {
  const seqs = readers.map(({ from }) => from.get(stream) ?? 0)
  return seqs.every((seq) => seq > 0) ? { fromSeq: Math.min(...seqs) } : { sinceMS: earliestOf(readers) }
}

/** The earliest time at which any of them may have missed events. */
export function earliestOf(readers: readonly ReplayReader[]): number {
  return Math.min(...readers.map(startMS))
}

/** Time of its first missed event in a stream that it has not read: `sinceMS` less the margin, but not before the user was created. */
function startMS({ sinceMS, createdMS }: ReplayReader): number {
  return Math.max(createdMS, sinceMS - marginMS)
}

/** A position in a stream, and when its event was stored (Unix milliseconds). */
export interface Position {
  stream: string
  seq: number
  takenAtMS: number
}

/** Whether the socket would have received the event while connected, and was not sent it by an earlier read. */
export function concerns(event: IncomingEvent, at: Position, reader: ReplayReader): boolean {
  const { session, socket } = reader
  const fromSeq = reader.from.get(at.stream) ?? 0
  if (fromSeq > 0 ? at.seq < fromSeq : at.takenAtMS < startMS(reader)) return false
  if (event.id !== undefined && reader.sent.has(event.id)) return false
  // Republished after a stream loss or by an operator, so it comes after newer events.
  if (event.republished && event.republished.atMS < Math.max(reader.givenSinceMS - marginMS, reader.createdMS))
    return false
  if (event.exceptUser === session.user) return false
  if ('user' in event.to && event.exceptDevice === session.device) return false
  const topic = topicOf(event.to)
  if (!(event.acceptedAtMS === undefined ? socket.isIn(topic) : socket.gets(topic, event.acceptedAtMS))) return false
  if ('user' in event.to) return true
  const joinedAtMS = reader.joinedAtMS.get(event.to.room)
  if (joinedAtMS === undefined) return (event.acceptedAtMS ?? at.takenAtMS) >= reader.beganMS - skewMS
  return isAfterJoin(event, at.takenAtMS, joinedAtMS)
}
