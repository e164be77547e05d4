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
  /** Where the last of the pieces ends. */
  end: number
  /** It is being ended: nothing is added any more. */
  ended?: true
  /** When it ends by itself, if no piece comes. */
  closeAtMS: number
}

export interface MessageDoc {
  /** 24 hexadecimal digits, growing within a process. */
  _id: string
  app: string
  room: string
  /** key(app, room); of a message of a thread, the key of the thread, in which its seq counts. */
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
  /** The server wrote it, about a change of members. */
  system?: true
  pinned?: true
  /** Its content was replaced. */
  edited?: true
  /** Its sender took it back: it has no content, and does not count as unread. */
  recalled?: true
  /** A robot is still writing it (message-streams.ts); `streamed`: the length of the text so far. */
  streaming?: true
  streamed?: number
  isDeleted?: true
  /** When it is to become a stub; absent in one that is. */
  expiresAtMS?: number
  /** The sender asked for no push. */
  push?: false
  /** The sender asked for no badge in its pushes. */
  skipTotalBadge?: true
  /** The room's webhook returned it, and does not receive it. */
  webhook?: false
  /** ID of the request that wrote it, for the log lines. */
  request?: string
}

/** A message that is to be sent later. */
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
  id: string
  senderKey: string
  /** JSON text. */
  content: string
  push: boolean
  thread?: true
  expiresInS?: number
  /** The sender's own client sends it, and not the integrator. */
  byClient?: true
  /** A system message: not scheduled by a user, and hidden from the lists of scheduled messages. */
  isSystem?: true
  /** As in a draft: the sender has not acted themself. */
  isForOther?: true
  /** key(app, sender, room, key): of the same idempotency key there is one. */
  once?: string
  sendAtMS: number
  createdAtMS: number
  /** When a process may take it: at its time, and when the one that took it has not finished. Absent in one that was refused. */
  nextMS?: number
  /** Its taker: a new name with each time. */
  claim?: string
  /** Why it was not sent. */
  refused?: { code: string; message: string; atMS: number }
  /** Of one that was refused: then it is forgotten. */
  expiresAt?: Date
}

/** How far the messages of a room are indexed in searchTexts. */
export interface SearchProgressDoc {
  /** roomKey */
  _id: string
  seq: number
}

/** The words of a message's text, apart from the message, so that sending does not pay for their index. */
export interface SearchTextDoc {
  /** ID of the message. */
  _id: string
  app: string
  roomKey: string
  seq: number
  sender: string
  messageType: string
  createdAtMS: number
  /** Of a message of a thread: in the room of `roomKey`, while `seq` is of the thread. */
  threadOf?: string
  words: string[]
}

/** Terms, and how further ones are matched; the index is read by the terms. */
export type SearchConditions = readonly (string | RegExp)[]

/** A found message. */
export type SearchHit = Pick<SearchTextDoc, '_id' | 'roomKey' | 'seq' | 'createdAtMS' | 'threadOf'>

/** A used idempotency key: the same send within 24 hours returns the first message again. */
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
  /** The message's: of a thread, its key. */
  roomKey: string
  user: string
  message: string
  seq: number
  /** Of the message; absent with `message` empty. */
  sender?: string
  deletedAtMS: number
}

/** A piece of a streamed text, and where it begins. */
export interface StreamedPart {
  at: number
  /** With `isJson` as JSON text: MongoDB keeps no half of a character, at which a piece may be cut. */
  text: string
  isJson?: true
  /** Of the text, in UTF-16 units, which MongoDB cannot count. */
  length: number
}
