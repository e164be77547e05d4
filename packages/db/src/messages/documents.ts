import type { Attachment } from '../files/attachment.ts'
import type { Thread } from '../threads/thread.ts'

/** A message that a robot is writing piece by piece. */
export interface MessageStreamDoc {
  /** key(app, message) */
  _id: string
  app: string
  message: string
  room: string
  sender: string
  /** Whether it is pushed at its end. */
  push: boolean
  parts: StreamedPart[]
  /** The end of the last piece. */
  end: number
  /** It is being ended: it takes no more pieces. */
  ended?: true
  /** When it ends by itself, unless another piece comes. */
  closeAtMS: number
}

export interface MessageDoc {
  /** 24 hexadecimal digits, growing within a process. */
  _id: string
  app: string
  room: string
  /** key(app, room); of a threaded message, the key of the thread, to which its seq belongs. */
  roomKey: string
  seq: number
  sender: string
  /** The content as JSON text: any JSON survives, at any depth and with any keys. */
  content?: string
  messageType: string
  createdAtMS: number
  updatedAtMS: number
  reactions?: { client: string; reaction: string }[]
  mentions?: string[]
  /** Files of the sender, or of the integrator. */
  attachments?: Attachment[]
  clientMessageID?: string
  /** ID of the message of the same room that it replies to. */
  replyTo?: string
  /** ID of the root of its thread. */
  threadOf?: string
  /** The thread about it. */
  thread?: Thread
  /** Written by the server, about a membership change. */
  system?: true
  pinned?: true
  /** Its content was replaced. */
  edited?: true
  /** Recalled by its sender: it has no content, and does not count as unread. */
  recalled?: true
  /** A robot is still writing it (message-streams.ts); `streamed`: the length of the text so far. */
  streaming?: true
  streamed?: number
  isDeleted?: true
  /** When it is to become a stub; absent in a stub. */
  expiresAtMS?: number
  /** The same of an expired message that a legal hold spares. */
  heldExpiryMS?: number
  /** Sent without a push. */
  push?: false
  /** Its pushes have no badge. */
  skipTotalBadge?: true
  /** The room's webhook returned it, and does not receive it. */
  webhook?: false
  /** ID of the request that wrote it, for the log lines. */
  request?: string
}

/** A scheduled message. */
export interface ScheduledDoc
  extends Pick<
    MessageDoc,
    | 'app'
    | 'room'
    | 'sender'
    | 'messageType'
    | 'skipTotalBadge'
    | 'mentions'
    | 'clientMessageID'
    | 'attachments'
    | 'replyTo'
  > {
  /** key(app, id) */
  _id: string
  /** With an idempotency key it follows from the key: see scheduledIdOf. */
  id: string
  senderKey: string
  /** JSON text. */
  content: string
  push: boolean
  thread?: true
  expiresInS?: number
  /** Sent by the sender's own client, and not by the integrator. */
  byClient?: true
  /** A system message: not scheduled by a user, and hidden from the lists of scheduled messages. */
  isSystem?: true
  /** As in a draft: the sender is not the actor. */
  isForOther?: true
  sendAtMS: number
  createdAtMS: number
  /** When a process may take it: at its time, or when the lease of its taker ends. Absent if it was refused. */
  nextMS?: number
  /** Its taker: a new name each time. */
  claim?: string
  /** The reason why it was refused. */
  refused?: { code: string; message: string; atMS: number }
  /** When a refused one is forgotten. */
  expiresAt?: Date
}

/** The progress of indexing a room's messages in searchTexts. */
export interface SearchProgressDoc {
  /** roomKey */
  _id: string
  seq: number
}

/** The words of a message's text, stored apart, so that sending does not pay for their index. */
export interface SearchTextDoc {
  /** ID of the message. */
  _id: string
  app: string
  roomKey: string
  seq: number
  sender: string
  messageType: string
  createdAtMS: number
  /** Of a threaded message: its room is that of `roomKey`, while `seq` belongs to the thread. */
  threadOf?: string
  words: string[]
}

/** Terms for the index, and conditions that further match them. */
export type SearchConditions = readonly (string | RegExp)[]

/** A found message. */
export type SearchHit = Pick<SearchTextDoc, '_id' | 'roomKey' | 'seq' | 'createdAtMS' | 'threadOf'>

/** A used idempotency key: a repeat within 24 hours returns the first message. */
export interface SendKeyDoc {
  /** key(app, sender, idempotency key, room) */
  _id: string
  message: string
  usedAt: Date
}

/**
 * A message that a user deleted for themselves, or with `message` empty: all messages of the room up to `seq`. It
 * outlives the membership, so that the messages stay hidden when the user comes back.
 */
export interface UserDeletionDoc {
  /** key(app, room, user, message) */
  _id: string
  /** The message's; for a threaded message, the thread's key. */
  roomKey: string
  user: string
  message: string
  seq: number
  /** Of the message; absent with `message` empty. */
  sender?: string
  deletedAtMS: number
}

/** A message that a user has bookmarked, or is reminded of. */
export interface SavedMessageDoc {
  /** key(app, user, message) */
  _id: string
  app: string
  user: string
  /** key(app, user) */
  userKey: string
  message: string
  room: string
  threadOf?: string
  /** The place in the list: when a bookmark was made, or the time of a reminder. */
  atMS: number
  createdAtMS: number
  /** Of a reminder: when a process may take it. */
  nextMS?: number
  /** Of a reminder: the process that has it. */
  claim?: string
}

/** A piece of a streamed text, and its offset. */
export interface StreamedPart {
  at: number
  /** With `isJson` as JSON text, since a piece can be cut inside a surrogate pair, which MongoDB cannot store. */
  text: string
  isJson?: true
  /** In UTF-16 units of the text, which MongoDB cannot count. */
  length: number
}
