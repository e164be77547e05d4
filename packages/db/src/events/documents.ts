import type { Audience } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Timestamp } from 'mongodb'

/**
 * Outbox entry: events that the bus has not acknowledged. Written in the transaction of the change, one document per
 * transaction. Deleted when the bus has acknowledged every event.
 */
export interface OutboxEntry {
  _id: string
  atMS: number
  /** The room, user, read marker or message whose events keep their order. Absent for new messages (by seq). */
  orderingKey?: string
  /** Set by the server on insert. Conflicting changes commit one after the other, so it orders their events. */
  order?: Timestamp
  events: OutboxEvent[]
}

/** Published events, kept for hours in case the bus loses its stream. Messages are found by the time in their IDs. */
export interface PublishedEntry {
  _id: string
  /** Time of the outbox entry. */
  atMS: number
  /** When the bus had acknowledged all events. */
  at: Date
  expiresAt: Date
  events: OutboxEvent[]
}

/** The recorded state of the event stream, from which services detect that it was lost or reset. */
export interface StreamStateDoc {
  /** The stream's name. */
  _id: string
  /** When NATS created it: its identity. */
  created: string
  /** The highest known sequence, and the ID of the message there. */
  seq: number
  witness?: string
  /** When the stream was at `seq`. */
  seenAtMS: number
  /** All consumers have handled every message that was published before this time. */
  handledUpToMS: number
  /** By durable consumer: the sequence up to which it has handled everything. */
  handledSeqs?: Record<string, number>
  /** Number of times that the stream was lost. */
  losses: number
  /** End of the lease to recreate the stream. */
  repairUntilMS?: number
  rebuilding?: Rebuilding
  /** The last completed replay of events. */
  rebuilt?: { sinceMS: number; endedAtMS: number }
  /** The stream's first sequence, and the time from which it has all events; absent if it has all from the start. */
  begins?: { seq: number; sinceMS: number }
}

/** An event in the outbox. IDs are Nats-Msg-Ids, which the stream dedupes. `by`: the user with a token. */
export type OutboxEvent =
  /**
   * An event of a message, published with the message's current state. `changedAtMS`: the message's `changedAtMS` after
   * this change. `mayOvertake`: the event of the message before this new one may not be published yet.
   */
  | { kind: 'message'; message: string; event: ServerEvent; changedAtMS?: number; mayOvertake?: true; by?: string }
  /** The `room` event, published with the room's current state. */
  | { kind: 'room'; id: string; app: string; room: string; webhook?: false; request?: string; by?: string }
  /** Any other event, with its payload as JSON text. `upToSeq`: the room's last message that it concerns. */
  | {
      kind: 'event'
      id: string
      to: Audience
      event: ServerEvent
      json: string
      upToSeq?: number
      exceptDevice?: string
      by?: string
    }
  /** An event of the integrator's feed only, with its payload as JSON text. */
  | { kind: 'feed'; id: string; to: Audience; event: FeedOnlyEvent; json: string }
  /** A node command, a membership change for the webhook, or a push to clients; as JSON text. */
  | { kind: 'command' | 'membersChange' | 'push'; id: string; app: string; json: string }

/** A running replay of events into a recreated stream. */
export interface Rebuilding {
  /** Start of the replay: events since this time are published again. */
  sinceMS: number
  /** End of the replay: the new stream has everything published since this time. */
  untilMS: number
  /** Progress: everything before this time has been replayed. */
  doneUpToMS: number
  /** The highest sequence of the lost stream. */
  afterSeq: number
  leaseUntilMS: number
}
