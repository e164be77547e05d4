import { clock } from '@parley/async/clock'
import type { AttachmentToSend } from '@parley/contracts/resources/file'
import type { Attachment } from '@parley/db/files/documents'
import type { MessageDoc } from '@parley/db/messages/documents'
import { maxAtOneTime } from '@parley/db/messages/messages'
import type { RoomToSendTo } from '@parley/db/room-buffer/append'
import type { RoomDoc } from '@parley/db/rooms/documents'

/** Maximum bytes of messages with the same time, so that a page of history can hold them. */
const maxBytesAtOneTime = 1024 * 1024

export interface MessageToSend {
  app: string
  room: string
  sender: string
  /** Any JSON of at most 64 KiB. */
  message: unknown
  messageType: string
  /** Users and user groups; a group stands for its members. */
  mentions?: string[] | undefined
  push: boolean
  /** Set if a bot is streaming it. */
  streaming?: true
  /** Written by the server about a membership change. */
  isSystem?: true | undefined
  /** Leaves the badge out of the message's pushes. */
  skipTotalBadge?: boolean | undefined
  /** false: the room's webhook does not receive it, because the message is the webhook's own response. */
  webhook?: false
  clientMessageID?: string | undefined
  attachments?: readonly AttachmentToSend[] | undefined
  replyTo?: string | undefined
  /** Sends it to the thread of that message. */
  thread?: boolean | undefined
  /** Seconds until it expires; 0 means never. Defaults to the room's setting. */
  expiresInS?: number | undefined
  /** Set if the sender's own client sends it: slow mode applies, and its files must be the sender's. */
  byClient?: boolean | undefined
  /** Written by the server on the sender's behalf, so a ban of the sender does not refuse it. */
  isForOther?: boolean | undefined
  /** Makes the send repeatable. Defaults to the clientMessageID. */
  idempotencyKey?: string | undefined
  /** Request ID, for the log lines of the message. */
  request?: string | undefined
  /** ID of the message, which must be unused; a new one by default. */
  id?: string | undefined
  /** Not written after this time (Unix milliseconds): another process may have sent it, or it may be cancelled. */
  leaseUntilMS?: number | undefined
  /** Keeps the order of the client's messages to the room. */
  lock?: EmitLock | undefined
}

/** A message to send, checked as far as possible without the database. */
export interface Draft extends Omit<MessageToSend, 'message' | 'attachments' | 'thread' | 'idempotencyKey' | 'lock'> {
  content: string
  /** A repeat of the key by the same sender in the same room within 24 hours returns the first message. */
  sendKey?: string | undefined
  attachments?: Attachment[] | undefined
  /** The message that it replies to; absent if the room does not have it. */
  quoted?: MessageDoc | undefined
}

export class LeaseExpired extends Error {
  override name = 'LeaseExpired'
  constructor() {
    super('the send took longer than its lease')
  }
}

/** Check it after reading the facts of a send, right before the write. */
export function isLeaseExpired({ leaseUntilMS }: Draft): boolean {
  return leaseUntilMS !== undefined && clock.now() >= leaseUntilMS
}

export interface RoomAdvance {
  room: RoomToSendTo
  seq: number
  clockMS: number
  lastMessageID: string
}

/** Builds the document of a draft with its seq and time. */
export function toMessage(draft: Draft, advance: RoomAdvance): MessageDoc {
  const { expiresInS = advance.room.expiresInS ?? 0 } = draft
  return {
    _id: advance.lastMessageID,
    app: draft.app,
    room: draft.room,
    roomKey: advance.room._id,
    seq: advance.seq,
    sender: draft.sender,
    content: draft.content,
    messageType: draft.messageType,
    createdAtMS: advance.clockMS,
    updatedAtMS: advance.clockMS,
    ...(draft.mentions && { mentions: draft.mentions }),
    ...(draft.clientMessageID !== undefined && { clientMessageID: draft.clientMessageID }),
    ...(draft.attachments && { attachments: draft.attachments }),
    ...(draft.replyTo !== undefined && { replyTo: draft.replyTo }),
    ...(!draft.push && { push: false }),
    ...(draft.skipTotalBadge && { skipTotalBadge: true }),
    ...(draft.isSystem && { system: true }),
    ...(draft.streaming && { streaming: true }),
    ...(expiresInS > 0 && { expiresAtMS: advance.clockMS + expiresInS * 1_000 }),
    ...(draft.webhook === false && { webhook: false }),
    ...(draft.request !== undefined && { request: draft.request }),
  }
}

/** Size of the potentially large parts of a message. */
export function bytesOf({
  content = '',
  mentions = [],
  attachments,
}: Partial<Pick<Draft, 'content' | 'mentions' | 'attachments'>>): number {
  const files = attachments ? Buffer.byteLength(JSON.stringify(attachments)) : 0
  return Buffer.byteLength(content) + mentions.reduce((sum, user) => sum + Buffer.byteLength(user), 0) + files
}

/**
 * Returns a function that gives a room's next messages their times, by size. Times are later than every earlier time in
 * the room, so readers who page by time miss nothing. At most 100 messages share a time, because no page splits them.
 * Writing that many takes over a millisecond, so the room's clock stays close to real time.
 */
export function messageTimes(room: Pick<RoomDoc, 'clockMS'>): (bytes: number) => number {
  let timeMS = Math.max(clock.now(), room.clockMS + 1)
  let [count, sum] = [0, 0]
  return (bytes) => {
    if (count === maxAtOneTime || (count > 0 && sum + bytes > maxBytesAtOneTime)) {
      timeMS++
      count = sum = 0
    }
    count++
    sum += bytes
    return timeMS
  }
}

/** Keeps the order of a socket's emits of one kind to one room. */
export interface EmitLock {
  /**
   * Settles when all earlier emits have released their locks; undefined if they have already.
   * @throws ApiError TOO_MANY_REQUESTS if the queue is full
   */
  wait(): Promise<void> | undefined
  release(): void
}
