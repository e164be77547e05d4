import type { Attachment, Message, Quote } from '../generated/types.ts'
import { ParleyError, type ParleyErrorCode } from '../parley-error.ts'
import { randomID } from '../random-id.ts'

/** Options of a send besides its content. */
export interface SendOptions {
  /** `text` by default. */
  messageType?: string
  /** IDs of mentioned users, who get a mention notification. */
  mentions?: string[]
  /** Set to false to send no push notifications. */
  push?: boolean
  /** ID of the message in this room to reply to. */
  replyTo?: string
  /** Uploaded files, as returned by `client.upload`. */
  attachments?: Attachment[]
}

/** A message that Parley has not acknowledged yet. The storage keeps it as JSON. */
export interface PendingSend {
  clientMessageID: string
  room: string
  /** The sending user, once known. */
  user?: string
  message: unknown
  options: SendOptions
  /** The quote of its parent, as shown when it was sent. */
  quote?: Quote
  /** ID of its thread's root message. */
  thread?: string
  createdAtMS: number
  /** When it was first tried: it may have arrived since. */
  triedAtMS?: number
  state: 'queued' | 'sending' | 'failed'
  error?: { code: ParleyErrorCode; message: string; status: number }
}

/** A message to show. A pending one has an empty `_id` and `seq` 0. */
export interface RoomMessage extends Message {
  /** Key for list rendering: the same before and after the message is sent. */
  key: string
  isMine: boolean
  state: 'sent' | PendingSend['state']
  /** Why the send failed. */
  error?: ParleyError
}

export function toPendingMessage(pending: PendingSend, sender: Message['sender']): RoomMessage {
  const { clientMessageID, room, message, options, quote, thread, createdAtMS, state, error } = pending
  return {
    _id: '',
    id: '',
    key: clientMessageID,
    clientMessageID,
    room,
    message,
    messageType: options.messageType ?? 'text',
    ...(options.mentions && { mentions: options.mentions }),
    ...(options.attachments && { attachments: options.attachments }),
    ...(quote && { replyTo: quote }),
    ...(thread !== undefined && { threadOf: thread }),
    appID: '',
    sender,
    messageTime: new Date(createdAtMS).toISOString(),
    messageTimeMS: createdAtMS,
    createdAtMS,
    updatedAtMS: createdAtMS,
    reactions: [],
    reactionCount: 0,
    isDeleted: false,
    seq: 0,
    isMine: true,
    state,
    ...(error && { error: new ParleyError(error.code, error.message, error.status) }),
  }
}

export function newPendingSend(
  room: string,
  user: string | undefined,
  message: unknown,
  options: SendOptions,
  about: Pick<PendingSend, 'quote' | 'thread'> = {},
): PendingSend {
  return {
    clientMessageID: randomID(),
    room,
    ...(user !== undefined && { user }),
    message,
    options,
    ...about,
    createdAtMS: Date.now(),
    state: 'queued',
  }
}

/** The payload of the emit `chat message` (docs/events.md). */
export function toPayload({ room, message, clientMessageID, options, thread }: PendingSend): object {
  const { messageType = 'text', mentions, push, replyTo, attachments } = options
  return {
    room,
    message,
    messageType,
    clientMessageID,
    ...(mentions && { mentions }),
    ...(push !== undefined && { push }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread !== undefined && { thread: true }),
    ...(attachments && { attachments }),
  }
}
