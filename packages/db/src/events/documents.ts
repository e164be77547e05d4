import type { Audience } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Timestamp } from 'mongodb'

/**
 * Events that the bus has not acknowledged yet. Written with their change, one document for all events of a
 * transaction, so the cost is per transaction. Deleted when the bus has every event.
 */
export interface PendingEventsDoc {
  _id: string
  atMS: number
  /**
   * The room, user, read marker or message whose events are published in order. Absent for new messages, which come
   * from many rooms and are ordered by seq.
   */
  orderingKey?: string
  /** Set by the server at the insert, later than in any earlier note, so that conflicting changes are in order. */
  order?: Timestamp
  events: NotedEvent[]
}

/**
 * A note of published events, kept for some hours in case the bus loses its log. New messages need none: they are found
 * by the time in their IDs.
 */
export interface PublishedEventsDoc {
  _id: string
  /** Time of the note. */
  atMS: number
  /** When the bus had all of them. */
  at: Date
  expiresAt: Date
  events: NotedEvent[]
}

/** The recorded state of the event stream, by which services notice that it was lost or reset. */
export interface StreamStateDoc {
  /** The stream's name. */
  _id: string
  /** When NATS created it: its identity. */
  created: string
  /** The highest known position, and the ID of the message there. */
  seq: number
  witness?: string
  /** When the stream was at that position. */
  seenAtMS: number
  /** All consumers have handled every message that the stream took before. */
  handledUpToMS: number
  /** By the name of a durable consumer, the position in this stream up to which it has handled everything. */
  handledSeqs?: Record<string, number>
  /** Number of losses. */
  losses: number
  /** Until then one process has the lease to create the stream again. */
  repairUntilMS?: number
  rebuilding?: Rebuilding
  /** The last time that events were published again. */
  rebuilt?: { sinceMS: number; endedAtMS: number }
  /**
   * The first position of this stream and the time from which it has all events; absent if it has all from the start.
   */
  begins?: { seq: number; sinceMS: number }
}

/**
 * An event of a change, kept until the bus has it. All IDs are Nats-Msg-Ids, by which the stream recognises a repeat;
 * `by` is the user who made the change by a token, for webhooks.
 */
export type NotedEvent =
  /**
   * An event of a message, published with the message as it is then. `changedAtMS`: the time that this change gave it.
   * `isSoonAfter`: the event of the message before a new one may be unpublished.
   */
  | { kind: 'message'; message: string; event: ServerEvent; changedAtMS?: number; isSoonAfter?: true; by?: string }
  /** The `room` event, published with the Room as it is then. */
  | { kind: 'room'; id: string; app: string; room: string; webhook?: false; request?: string; by?: string }
  /** Any other event: its payload as JSON text; `upToSeq`: seq of the last message of the room that it concerns. */
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
  /** An event that only the integrator's feed has: its payload as JSON text. */
  | { kind: 'feed'; id: string; to: Audience; event: FeedOnlyEvent; json: string }
  /** A node command, a membership change for the webhook, or a push to clients; as JSON text. */
  | { kind: 'command' | 'membersChange' | 'push'; id: string; app: string; json: string }

/** A replay of events to the stream in progress. */
export interface Rebuilding {
  /** Events of messages and changes since then are published again. */
  sinceMS: number
  /** The stream has everything published since then anyway. */
  untilMS: number
  /** Everything before is published again. */
  doneUpToMS: number
  /** The highest position of the lost stream. */
  afterSeq: number
  leaseUntilMS: number
}
