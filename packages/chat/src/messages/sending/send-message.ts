import type { AttachmentToSend } from '@parley/contracts/resources/file'
import type { SentMessage } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import { findSentMessage, type MessageDoc } from '@parley/db/messages/messages'
import type { Chat } from '../../chat.ts'
import { moderateSend } from '../../moderation/moderate.ts'
import { requireReply } from '../../threads/require-reply.ts'
import { sendInThread, type ThreadDraft } from '../../threads/send-in-thread.ts'
import { JsonText } from '../../views/json-text.ts'
import { sentMessageJson, toSentMessageView } from '../../views/message.ts'
import type { Draft, Outcome, Refusal } from '../accepting/message-batch.ts'
import { findQuoted, type Quoted, quotedBy } from '../reading/quoted-messages.ts'
import type { Turn } from '../turn.ts'
import { attachToDraft } from './attach-to-draft.ts'
import { contentOf } from './message-content.ts'
import { errorOfRefusal } from './refused-send.ts'

export interface MessageToSend {
  app: string
  room: string
  sender: string
  /** Any JSON of at most 64 KiB. */
  message: unknown
  messageType: string
  /** Users, and user groups, which stand for their members. */
  mentions?: string[] | undefined
  push: boolean
  /** A robot writes it piece by piece. */
  streaming?: true
  /** The server writes it about a change of members. */
  isSystem?: true | undefined
  /** Leaves the badge out of the message's pushes. */
  skipTotalBadge?: boolean | undefined
  /** false: the room's webhook does not receive it, because the message is its own response. */
  webhook?: false
  clientMessageID?: string | undefined
  attachments?: readonly AttachmentToSend[] | undefined
  /** ID of a message of the same room. */
  replyTo?: string | undefined
  /** Keeps it in the thread of that message. */
  thread?: boolean | undefined
  /** Seconds until it expires; 0 for never, and by default what the room says. */
  expiresInS?: number | undefined
  /** The sender's own client sends it, and not the integrator: a slow mode holds for it, and its files are the sender's. */
  byClient?: boolean | undefined
  /** Somebody else has it written in the name of the sender, whose ban is no reason to refuse it. */
  isForOther?: boolean | undefined
  /** Makes the send repeatable; by default the clientMessageID. */
  idempotencyKey?: string | undefined
  /** ID of the request, for the log lines of the message. */
  request?: string | undefined
  /** What the message is to be called, by an ID that nothing has; by default a new one. */
  id?: string | undefined
  /** Its place among the messages that its client sends to the room. */
  turn?: Turn | undefined
}

/**
 * Sends a message to a room: when this settles, it is journaled on a majority, has its seq, and is on
 * its way to the bus (docs/reference/messages.md#send). Sends that arrive together
 * share their round trips.
 * @throws ApiError MESSAGE_TOO_LARGE, INVALID_REQUEST, ROOM_NOT_FOUND, CLIENT_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN,
 *   ROOM_IMPORTING, SLOW_MODE, MESSAGE_REFUSED, MESSAGE_NOT_FOUND of replyTo, MISSING_PARAMETER with `thread` alone,
 *   FILE_NOT_FOUND; those of the turn
 */
export async function sendMessage(chat: Chat, send: MessageToSend): Promise<SentMessage> {
  const { message, quoted } = await sendContent(chat, send, contentOf(send.message))
  return toSentMessageView(message, quoted)
}

/** The same, with the message as JSON text: its content is not read and written again. */
export async function sendAndShow(chat: Chat, send: MessageToSend): Promise<JsonText> {
  const { message, quoted } = await sendContent(chat, send, contentOf(send.message))
  return new JsonText(sentMessageJson(message, quoted))
}

/**
 * The same with the content as JSON text, whose size has been checked.
 * @returns the message as it is stored, and what it quotes
 */
export async function sendContent(
  chat: Chat,
  send: Omit<MessageToSend, 'message'>,
  content: string,
): Promise<{ message: MessageDoc; quoted: Quoted }> {
  const sendKey = send.idempotencyKey ?? send.clientMessageID
  requireReply(send.thread, send.replyTo)
  const replyTo = send.replyTo === undefined ? undefined : await findReplyTo(chat, send, send.replyTo)
  const plain: Draft = {
    app: send.app,
    room: send.room,
    sender: send.sender,
    content,
    messageType: send.messageType,
    push: send.push,
    ...(send.skipTotalBadge && { skipTotalBadge: true as const }),
    ...(send.isSystem && { isSystem: true as const }),
    ...(send.streaming && { streaming: true as const }),
    ...(send.webhook === false && { webhook: false }),
    ...(send.expiresInS !== undefined && { expiresInS: send.expiresInS }),
    ...(send.byClient && { byClient: true as const }),
    ...(send.isForOther && { isForOther: true as const }),
    ...(send.mentions && { mentions: [...new Set(send.mentions)] }),
    ...(sendKey !== undefined && { sendKey }),
    ...(send.clientMessageID !== undefined && { clientMessageID: send.clientMessageID }),
    ...replyTo,
    ...(send.request !== undefined && { request: send.request }),
    ...(send.id !== undefined && { id: send.id }),
  }
  const draft = send.attachments ? await attachToDraft(chat, send.attachments, plain) : plain
  if ('first' in draft) return { message: draft.first, quoted: await findQuoted(chat.db, [draft.first]) }
  const isInThread = send.thread === true || replyTo?.quoted?.threadOf !== undefined
  // What a robot streams is not there yet.
  const isAsked = send.byClient && !send.streaming
  const moderated = isAsked ? await moderateSend(chat, draft, isInThread) : draft
  const before = send.turn?.come()
  if (before) await before
  const accepting = accept(chat, moderated, isInThread)
  // The room's messages are written in the order in which they are handed over; a message of a thread is not among them.
  if (!isInThread) send.turn?.over()
  const outcome = await accepting
  if ('refused' in outcome) throw await errorOfRefusal(chat, outcome, send)
  const { message, quoted, repeated } = outcome
  return { message, quoted: repeated ? await findQuoted(chat.db, [message]) : quotedBy(quoted) }
}

function accept(chat: Chat, draft: Draft | Refusal, isInThread: boolean): Promise<Outcome> | Outcome {
  if ('refused' in draft) return draft
  const { replyTo } = draft
  return isInThread && replyTo !== undefined ? sendInThread(chat, { ...draft, replyTo }) : chat.accept(draft)
}

async function findReplyTo(
  { db }: Chat,
  { app, room }: Pick<MessageToSend, 'app' | 'room'>,
  replyTo: string,
): Promise<Pick<ThreadDraft, 'replyTo' | 'quoted'>> {
  const quoted = await findSentMessage(db, key(app, room), replyTo)
  return { replyTo, ...(quoted && { quoted }) }
}
