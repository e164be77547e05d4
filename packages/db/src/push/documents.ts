import { keptBackBy } from '@parley/contracts/resources/push/decide-notification'
import type { PushNetwork } from '@parley/contracts/resources/push/network'

export interface CallQueueDoc {
  /** The queue's name. */
  _id: string
  /** The kind and server of the calls (`targetOf`). */
  target: string
  /** When the queue is due: the time of the next try, or the end of the lease. */
  dueAtMS: number
  lease?: string
  /** Failed tries since the last success. */
  failures: number
  /** When the first try of `failures` failed. */
  failingSinceMS?: number
  /** Incremented with every queued call. */
  version: number
}

/** One HTTP call to an integrator's server: a room's webhook, or PUSH_GENERIC. */
export interface OutgoingCallDoc {
  /** The webhook-id, the same for every try. */
  _id: string
  app: string
  kind: 'webhook' | 'push'
  /** Calls of a queue are made sequentially, in order. */
  queue: string
  /** Same as the queue's `target`. */
  target: string
  order: number
  room: string
  /** Such as MESSAGE; PUSH for kind `push`. */
  event: string
  /** The acting user; '' for the API key. */
  client: string
  /** The call's data as JSON text. Once finished, only its subject, from which the call can be repeated. */
  data?: string
  request?: string
  /** The call was finished, and queued again by an admin. */
  isRequeued?: true
  /** The response to an earlier try was applied. */
  isAnswered?: true
  state: 'waiting' | 'done' | 'failed'
  tries: number
  lastError?: string
  lastTry?: CallTry
  /** When the call was last queued. */
  createdAtMS: number
  /** Set on a done call, for the TTL. */
  madeAt?: Date
  /** Set on a failed call, which is a dead letter. */
  failedAt?: Date
}

/** Why each member on a page got a push of a message, or none. Small, since every such message writes it. */
export interface PushDecisionDoc {
  /** key(app, message, page) */
  _id: string
  at: Date
  all?: MessageReason
  users?: { [R in UserReason]?: string[] }
  /** `key(user, device)` by decision. */
  devices?: { [D in DeviceDecision]?: string[] }
  /** With PUSH_GENERIC: the call, and its users. */
  call?: string
  called?: string[]
}

export interface PushResultsDoc {
  /** key(app, message, unique) */
  _id: string
  at: Date
  results: PushResult[]
}

/** The content of the pushes of a message or order, stored once for all devices. */
export interface PushContentDoc {
  /** key(app, message or order) */
  _id: string
  json: string
  /** All recipients' pushes are stored. */
  isDecided?: true
  at: Date
}

/**
 * One push to one device. Ensures that the push is sent at most once: its ID is unique, and a process must claim it
 * before sending. The document is kept after sending, to deduplicate redelivered events. If a process is killed, its
 * claimed pushes stay claimed and are not sent again, since the push network may already have them.
 */
export interface PushDoc {
  /** key(content, user, device) */
  _id: string
  app: string
  network: PushNetwork
  /** The PushContentDoc with the content. */
  content: string
  user: string
  token: string
  topic?: string
  /** The last push to the device failed. */
  isAfterError?: true
  mentioned?: 'user' | 'room'
  /** The device's language (BCP 47). */
  language?: string
  /** Sent only once the device has been disconnected for long enough. */
  whileAway?: true
  badge?: number
  /**
   * A silent push that removes notifications: of rooms and threads (by root) read elsewhere, and of deleted messages.
   */
  removes?: { rooms?: string[]; threads?: string[]; messages?: string[] }
  /** When the push is due; absent once it is claimed. */
  dueAtMS?: number
  takenBy?: string
  tries: number
  /** The error of the last try, if the push is to be retried. */
  lastError?: string
  /** When the network first rejected the token for a reason that can also mean wrong credentials. */
  doubtedAtMS?: number
  /** The push waits because its network is stopped for the app. */
  isHeld?: true
  /** The push is dropped after this time. */
  giveUpAtMS: number
  /** For the TTL. */
  at: Date
}

export interface CallTry {
  atMS: number
  durationMS: number
  /** HTTP status, if there was a response. */
  status?: number
  /** The first KiB of the response body. */
  answer?: string
}

export type MessageReason = 'DELETED' | 'LATE'

export type UserReason = (typeof userReasons)[number]

export type DeviceDecision = (typeof deviceDecisions)[number]

export interface PushResult {
  user: string
  device: string
  network: PushNetwork
  /** `dead`: refused, and the token was removed. `dropped`: given up. */
  as: 'sent' | 'refused' | 'dead' | 'dropped'
  /** The push network's ID of the push. */
  id?: string
  reason?: string
  atMS: number
}

export const userReasons = [
  'SENDER',
  'NOT_A_MEMBER',
  'BANNED',
  ...keptBackBy,
  'ROBOT',
  'BLOCKED',
  'NO_DEVICE',
  'CONNECTED',
] as const

/** The decision for a device: CONNECTED, NO_NETWORK (its network is not configured), or DUE. */
export const deviceDecisions = ['CONNECTED', 'NO_NETWORK', 'DUE'] as const
