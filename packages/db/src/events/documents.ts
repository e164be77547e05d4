import type { Audience } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Timestamp } from 'mongodb'

/**
 * Events that the bus has not acknowledged yet. Written with their change, one document for all events of a transaction,
 * and deleted when the bus has every event: the cost is per transaction, not per event.
 */
export interface PendingEventsDoc {
  _id: string
  atMS: number
  /**
   * What the events concern (a room, a user, a message): events of one ordering key are published in order. Absent for new
   * messages, which come from many rooms, and whose seq is their order.
   */
  orderingKey?: string
  /** Set by the server at the insert, later than in any earlier note, so that changes that exclude each other are in order. */
  order?: Timestamp
  events: NotedEvent[]
}

/**
 * A note of events that the bus has: kept for a while, since the bus may lose its log. New messages need none, for they
 * are found by the time in their IDs.
 */
export interface PublishedEventsDoc {
  _id: string
  /** When it was noted. */
  atMS: number
  /** When the bus had them all. */
  at: Date
  expiresAt: Date
  events: NotedEvent[]
}

/** What is known of the stream of events: by it services notice that the stream was lost or has gone back. */
export interface StreamStateDoc {
  /** The stream's name. */
  _id: string
  /** When NATS made it: its identity. */
  created: string
  /** The highest known position, and the ID of the message there. */
  seq: number
  witness?: string
  /** When that was. */
  seenAtMS: number
  /** Every message that the stream took before was handled by all consumers. */
  handledUpToMS: number
  /** By the name of a durable consumer, the position in this stream up to which it has handled everything. */
  handledSeqs?: Record<string, number>
  /** How often it was lost. */
  losses: number
  /** Until then one process makes the stream anew. */
  repairUntilMS?: number
  rebuilding?: Rebuilding
  /** The last time that events were published again. */
  rebuilt?: { sinceMS: number; endedAtMS: number }
  /** The first position of this stream, and from which time on it has the events; absent if it has all. */
  begins?: { seq: number; sinceMS: number }
}

/**
 * An event of a change, kept until the bus has it. All IDs are Nats-Msg-Ids, by which the stream recognises a repeat;
 * `by` is the user who made the change by a token, for webhooks.
 */
export type NotedEvent =
  /**
   * An event of a message, which is published with the message as it is then; `changedAtMS`: the time that this change gave
   * it; `isSoonAfter`: of a new one, whether the event of the message before it may not be published yet.
   */
  | { kind: 'message'; message: string; event: ServerEvent; changedAtMS?: number; isSoonAfter?: true; by?: string }
  /** The `room` event, which is published with the Room as it is then. */
  | { kind: 'room'; id: string; app: string; room: string; webhook?: false; request?: string; by?: string }
  /** Any other event: its payload as JSON text; `upToSeq`: seq of the last message of the room that it is about. */
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
  /** An order to all realtime nodes, a change of members for the webhook, or a push to clients; as JSON text. */
  | { kind: 'order' | 'membersChange' | 'push'; id: string; app: string; json: string }

/** Events that are being published again. */
export interface Rebuilding {
  /** Those of messages and changes since then. */
  sinceMS: number
  /** The stream has what was published since then in any case. */
  untilMS: number
  /** Those before are published. */
  doneUpToMS: number
  /** The highest position of the lost stream. */
  afterSeq: number
  leaseUntilMS: number
}
