import { keptBackBy } from '@parley/contracts/resources/notification-settings'
import type { PushNetwork } from '@parley/contracts/resources/push/network'

/** A queue with waiting calls. */
export interface CallQueueDoc {
  /** The queue. */
  _id: string
  /** The kind and server of its calls (`targetOf`). */
  target: string
  /** When a process may work on it: the time of the next try, or the end of the lease. */
  dueAtMS: number
  lease?: string
  /** Failed tries since the last success. */
  failures: number
  /** When the first of these failed. */
  failingSinceMS?: number
  /** Grows with every queued call. */
  version: number
}

/** One HTTP call to an integrator's server: a room's webhook, or PUSH_GENERIC. */
export interface OutgoingCallDoc {
  /** The webhook-id: the same on every try. */
  _id: string
  app: string
  kind: 'webhook' | 'push'
  /** Calls of a queue are made one after the other, in order. */
  queue: string
  /** The server, as the queue's. */
  target: string
  order: number
  room: string
  /** Such as MESSAGE; for kind `push` PUSH. */
  event: string
  /** The acting user; '' for the API key. */
  client: string
  /** The data of the call, as JSON text; once it is over, only its subject, so that it can be made again. */
  data?: string
  request?: string
  /** Done or failed for good, and retried by an admin. */
  isAgain?: true
  /** The response to an earlier try was applied. */
  isAnswered?: true
  state: 'waiting' | 'done' | 'failed'
  tries: number
  lastError?: string
  lastTry?: CallTry
  /** When it was last queued. */
  createdAtMS: number
  /** Set on a done call, for the TTL. */
  madeAt?: Date
  /** Set on a failed call: a dead letter. */
  failedAt?: Date
}

/**
 * The decisions about a message's pushes, for one page of the room's members, with each of them in it. Kept short, because it is
 * written for every message that can be pushed.
 */
export interface PushDecisionDoc {
  /** key(app, message, page) */
  _id: string
  at: Date
  all?: MessageReason
  /** Users by reason. */
  users?: { [R in UserReason]?: string[] }
  /** `deviceOf(user, device)` by decision. */
  devices?: { [D in DeviceDecision]?: string[] }
  /** With PUSH_GENERIC: the call, and the users that it names. */
  call?: string
  called?: string[]
}

/** Several outcomes of one message from about the same time. */
export interface PushResultsDoc {
  /** key(app, message, any) */
  _id: string
  at: Date
  results: PushResult[]
}

/** The content of a message's or order's pushes, stored once for all devices. */
export interface PushContentDoc {
  /** key(app, message or order) */
  _id: string
  json: string
  /** The pushes of all recipients are stored. */
  isDecided?: true
  at: Date
}

/**
 * One push to one device. Its document ensures that it goes out once: the ID can be inserted only once, and only one process
 * claims it, before sending. It stays after sending, so that a redelivered event finds it. After a kill, a claimed push stays
 * claimed and is not sent again, since the network can have it.
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
  mentioned?: 'user' | 'room'
  /** Of the device, BCP 47. */
  language?: string
  /** It waits until the device has been away for long enough. */
  whileAway?: true
  badge?: number
  /** A silent push: the rooms and threads (by root) that were read elsewhere, and deleted messages, whose notifications it takes away. */
  takesAway?: { rooms?: string[]; threads?: string[]; messages?: string[] }
  /** When it may be sent; absent once it is claimed. */
  dueAtMS?: number
  takenBy?: string
  tries: number
  /** Of the last try, if it is to be retried. */
  lastError?: string
  /** When its network first rejected the token with a reason that may be wrong credentials. */
  doubtedAtMS?: number
  /** It waits because its network is stopped for the app. */
  isHeld?: true
  /** After this it is not sent any more. */
  giveUpAtMS: number
  /** For the TTL. */
  at: Date
}

/** One try of a call. */
export interface CallTry {
  atMS: number
  durationMS: number
  /** Of the response, if there was one. */
  status?: number
  /** The first KiB of its body. */
  answer?: string
}

/** The reason for no push at all. */
export type MessageReason = 'DELETED' | 'LATE'

export type UserReason = (typeof userReasons)[number]

export type DeviceDecision = (typeof deviceDecisions)[number]

/** The outcome of a push. */
export interface PushResult {
  user: string
  device: string
  network: PushNetwork
  /** `dead`: refused, and the token was removed. `dropped`: given up. */
  as: 'sent' | 'refused' | 'dead' | 'dropped'
  /** The network's name of the push. */
  id?: string
  reason?: string
  atMS: number
}

/** The reason why a member got no push on any device. */
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
