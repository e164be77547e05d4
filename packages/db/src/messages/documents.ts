import type { Attachment } from '../files/documents.ts'
import type { Thread } from '../threads/thread.ts'

/** A message that a bot is streaming. */
export interface MessageStreamDoc {
  /** key(app, message) */
  _id: string
  app: string
  message: string
  room: string
  sender: string
  /** Whether the message is pushed when the stream ends. */
  push: boolean
  parts: StreamedPart[]
  /** The end of the last piece. */
  end: number
  /** The stream is ending and takes no more pieces. */
  ended?: true
  /** When the stream times out, unless another piece arrives. */
  closeAtMS: number
}

export interface MessageDoc {
  /** message-id.ts */
  _id: string
  app: string
  room: string
  /** key(app, room), or the thread's key for a thread message. `seq` counts within this key. */
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
  /** ID of the message in the same room that this one replies to. */
  replyTo?: string
  /** Root message ID, for a message in a thread. */
  threadOf?: string
  /** The thread under this message. */
  thread?: Thread
  /** Written by the server, about a membership change. */
  system?: true
  pinned?: true
  edited?: true
  /** Recalled by its sender: the message has no content, and does not count as unread. */
  recalled?: true
  /** A bot is still streaming the message (message-streams.ts). `streamed` is the length of the text so far. */
  streaming?: true
  streamed?: number
  isDeleted?: true
  /** When the message becomes a stub; absent in a stub. */
  expiresAtMS?: number
  /** Replaces `expiresAtMS` of an expired message while it is under legal hold. */
  heldExpiryMS?: number
  /** Sent without a push. */
  push?: false
  /** Pushes of the message have no badge. */
  skipTotalBadge?: true
  /** The room's webhook returned the message, so it does not receive it. */
  webhook?: false
  /** ID of the request that sent the message, for logs. */
  request?: string
}

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
  /** Derived from the idempotency key, if there is one: see scheduledIdOf. */
  id: string
  senderKey: string
  /** JSON text. */
  content: string
  push: boolean
  thread?: true
  expiresInS?: number
  /** Scheduled by the sender's own client, not by the integrator. */
  byClient?: true
  /** A system message: not scheduled by a user, and omitted from lists of scheduled messages. */
  isSystem?: true
  /** As in a draft: the sender is not the actor. */
  isForOther?: true
  sendAtMS: number
  createdAtMS: number
  /** When the message is due, or its lease ends. Absent if it was refused. */
  nextMS?: number
  /** Unique name of the current claim. */
  claim?: string
  /** Why the message was refused. */
  refused?: { code: string; message: string; atMS: number }
  /** When a refused message is deleted. */
  expiresAt?: Date
}

/** The progress of indexing a room's messages in searchTexts. */
export interface SearchProgressDoc {
  /** roomKey */
  _id: string
  seq: number
}

/** The words of a message's text, in their own collection so that sending does not pay for the index. */
export interface SearchTextDoc {
  /** ID of the message. */
  _id: string
  app: string
  roomKey: string
  seq: number
  sender: string
  messageType: string
  createdAtMS: number
  /** For a thread message: the root. `roomKey` is the room's, while `seq` belongs to the thread. */
  threadOf?: string
  words: string[]
}

/** Search terms: strings match by index, regular expressions filter further. */
export type SearchConditions = readonly (string | RegExp)[]

export type SearchHit = Pick<SearchTextDoc, '_id' | 'roomKey' | 'seq' | 'createdAtMS' | 'threadOf'>

/** A used idempotency key: a repeat within 24 hours returns the first message. */
export interface SendKeyDoc {
  /** key(app, sender, idempotency key, room) */
  _id: string
  message: string
  usedAt: Date
}

/**
 * A message that a user deleted for themselves. If `message` is empty, all messages of the room up to `seq`. Outlives
 * the membership, so that the messages stay hidden if the user joins again.
 */
export interface UserDeletionDoc {
  /** key(app, room, user, message) */
  _id: string
  /** The message's `roomKey`. */
  roomKey: string
  user: string
  message: string
  seq: number
  /** The message's sender; absent if `message` is empty. */
  sender?: string
  deletedAtMS: number
}

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
  /** Sort key: when a bookmark was created, or when a reminder is due. */
  atMS: number
  createdAtMS: number
  /** Of a reminder: when it is due, or its lease ends. */
  nextMS?: number
  /** Of a reminder: unique name of the current claim. */
  claim?: string
}

/** A piece of a streamed text, at offset `at`. */
export interface StreamedPart {
  at: number
  /** JSON text if `isJson`: a piece can end inside a surrogate pair, which MongoDB cannot store. */
  text: string
  isJson?: true
  /** Length in UTF-16 code units, which MongoDB cannot count. */
  length: number
}
