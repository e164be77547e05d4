import type { SentMessage } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findSentMessage } from '@parley/db/messages/messages'
import type { Chat } from '../chat.ts'
import { attachToDraft, contentOf, errorOfRefusal } from '../messages/draft.ts'
import { findQuoted, type Quoted, quotedBy } from '../messages/reading/quoted-messages.ts'
import { moderateSend } from '../moderation/moderate.ts'
import { requireRoomMention } from '../push/mentions.ts'
import { sendInThread } from '../threads/send-in-thread.ts'
import { requireReply } from '../threads/thread.ts'
import { JsonText } from '../views/json-text.ts'
import { sentMessageJson, toSentMessageView } from '../views/message.ts'
import type { Refusal, SendResult } from './decide.ts'
import type { Draft, MessageToSend } from './new-message.ts'

/**
 * Sends a message to a room. When this settles, the message is journaled on a majority, has its seq, and is about to be
 * published (docs/reference/messages.md#send). Concurrent sends share their round trips.
 * @throws ApiError MESSAGE_TOO_LARGE, INVALID_REQUEST, ROOM_NOT_FOUND, CLIENT_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED,
 * ROOM_FROZEN, ROOM_IMPORTING, SLOW_MODE, MESSAGE_REFUSED, MESSAGE_NOT_FOUND of replyTo, MISSING_PARAMETER for `thread`
 * without replyTo, FILE_NOT_FOUND, INSUFFICIENT_PERMISSIONS for @room and @here, TOO_MANY_REQUESTS of the lock
 */
export async function sendMessage(chat: Chat, send: MessageToSend): Promise<SentMessage> {
  const { message, quoted } = await sendContent(chat, send, contentOf(send.message))
  return toSentMessageView(message, quoted)
}

/** Like sendMessage, but returns the message as JSON text, without parsing its content and serialising it again. */
export async function sendAndShow(chat: Chat, send: MessageToSend): Promise<JsonText> {
  const { message, quoted } = await sendContent(chat, send, contentOf(send.message))
  return new JsonText(sentMessageJson(message, quoted))
}

/**
 * Like sendMessage, for content that is JSON text of a checked size.
 *
 * Steps: check → append (append.ts, decided in decide.ts) → acknowledge (this returns) → publish after the response
 * (publish.ts) → flush 200 ms later, or once the room reaches its threshold (flush.ts).
 */
export async function sendContent(
  chat: Chat,
  send: Omit<MessageToSend, 'message'>,
  content: string,
): Promise<{ message: MessageDoc; quoted: Quoted }> {
  const draft = await check(chat, send, content)
  if ('first' in draft) return { message: draft.first, quoted: await findQuoted(chat.db, [draft.first]) }
  const isInThread = send.thread === true || draft.quoted?.threadOf !== undefined
  // A streamed message has no content yet.
  const isModerated = send.byClient && !send.streaming
  const moderated = isModerated ? await moderateSend(chat, draft, isInThread) : draft

  const before = send.lock?.wait()
  if (before) await before
  const appended = append(chat, moderated, isInThread)
  // The queue keeps the order of a room's messages. Thread messages do not pass through it.
  if (!isInThread) send.lock?.release()
  const result = await appended
  if ('refused' in result) throw await errorOfRefusal(chat, result, send)
  const { message, quoted, repeated } = result
  return { message, quoted: repeated ? await findQuoted(chat.db, [message]) : quotedBy(quoted) }
}

/** Builds the draft and checks its reply and attachments. @returns the first message if the same send was made before */
async function check(
  chat: Chat,
  send: Omit<MessageToSend, 'message'>,
  content: string,
): Promise<Draft | { first: MessageDoc }> {
  requireReply(send.thread, send.replyTo)
  const { app, room, sender, replyTo } = send
  if (send.byClient) await requireRoomMention(chat.db, { app, user: sender }, send.mentions, room)
  const draft: Draft = {
    ...send,
    content,
    mentions: send.mentions && [...new Set(send.mentions)],
    attachments: undefined,
    quoted: replyTo === undefined ? undefined : await findSentMessage(chat.db, key(app, room), replyTo),
    sendKey: send.idempotencyKey ?? send.clientMessageID,
  }
  return send.attachments ? attachToDraft(chat, send.attachments, draft) : draft
}

/** Appends the message. The span includes the wait for other sends of the same write. */
async function append(chat: Chat, draft: Draft | Refusal, isInThread: boolean): Promise<SendResult> {
  if ('refused' in draft) return draft
  const { replyTo } = draft
  const span = chat.tracing.startSpan('write message', 'client', draft.request)
  try {
    const isReply = isInThread && replyTo !== undefined
    const result = await (isReply ? sendInThread(chat, { ...draft, replyTo }) : chat.appendMessage(draft))
    span.end('refused' in result ? { 'parley.refused': result.refused } : {})
    return result
  } catch (error) {
    span.end({}, error as Error)
    throw error
  }
}
