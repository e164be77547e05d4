import { clock } from '@parley/async/clock'
import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { appendStream as append, openStream as open } from '@parley/contracts/operations/messages/streams'
import { maxMessageBytes, type SentMessage } from '@parley/contracts/resources/message'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageStreamDoc } from '@parley/db/messages/documents'
import { addPart, deleteStream, endParts, findStreamAlone, insertStream } from '@parley/db/messages/message-streams'
import { findSentMessage, newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import { asUser, type Caller } from '../access/caller.ts'
import { checkRoom, requireMember, requireNotFrozen } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { sendContent } from '../send/send-message.ts'
import { toSentMessageView } from '../views/message.ts'
import { requireRobot } from './require-message.ts'

export type OwnStream = Omit<MessageStreamDoc, 'parts'>

/**
 * Opens a message that a bot writes piece by piece (docs/reference/messages.md#streamed-messages). It is sent with
 * empty text and without a push.
 * @throws ApiError INSUFFICIENT_PERMISSIONS if the sender is not a bot, and as sendMessage
 */
export async function openStream(
  chat: Chat,
  caller: Caller,
  { room, sender, push, ...rest }: Input<typeof open>['body'],
  request: string,
): Promise<SentMessage> {
  if (caller.kind === 'integrator' && sender === undefined) {
    throw new ApiError('MISSING_PARAMETER', 'sender is required')
  }
  const { app } = caller
  const robot = caller.kind === 'user' ? caller.user : String(sender)
  if (robot !== (sender ?? robot)) throw new ApiError('INVALID_REQUEST', 'sender: must be the caller')
  await requireRobot(chat.db, app, robot)
  const byClient = caller.kind === 'user'
  const id = newId()
  const send = { ...rest, app, room, sender: robot, byClient, push: false, streaming: true as const, request, id }
  const closeAtMS = clock.now() + chat.settings.streamSilenceMS
  const stream = (message: string) => ({ app, message, room, sender: robot, push, parts: [], end: 0, closeAtMS })
  // Inserted before the message: if the process dies in between, a stream without a message times out, while a message
  // without a stream would never end.
  await insertStream(chat.db, stream(id))
  const { message, quoted } = await sendContent(chat, send, '""').catch(async (error: unknown) => {
    if (error instanceof ApiError && error.status < 500) await deleteStream(chat.db, { app, message: id })
    throw error
  })
  // The message may have been opened before under the same clientMessageID.
  if (message._id !== id) await deleteStream(chat.db, { app, message: id })
  // If sending took long, the stream may have timed out.
  if (message.streaming) await insertStream(chat.db, stream(message._id))
  return toSentMessageView(message, quoted)
}

/**
 * Adds a piece, which is stored when this settles. The room gets it live, and the history shows it within about a
 * second.
 * @throws ApiError MESSAGE_NOT_FOUND if no message with this ID is being streamed, and as streamText
 */
export async function appendStream(
  chat: Chat,
  caller: Caller,
  id: string,
  { text, at }: Input<typeof append>['body'],
): Promise<Result<typeof append>> {
  const own = await findOwnStream(chat, caller, id)
  if (!own) throw notStreamed(id)
  const { app, room, sender, end } = own
  await requireRobot(chat.db, app, sender)
  const { room: doc, membership } = await requireMember(chat, asUser(app, sender), room)
  if (isBlocked(membership)) throw new ApiError('USER_BLOCKED')
  requireNotFrozen(doc)
  if ((at ?? end) + text.length > maxMessageBytes) throw tooLong()
  const stream = { app, message: id }
  await requireStreaming(chat, stream, doc)
  const closeAtMS = clock.now() + chat.settings.streamSilenceMS
  const begins = await addPart(chat.db, stream, { at, text, closeAtMS, maxEnd: maxMessageBytes })
  if (begins === undefined) {
    const living = await findStreamAlone(chat.db, app, id)
    // Concurrent pieces may have filled it.
    throw living && !living.ended ? tooLong() : notStreamed(id)
  }
  // The message may have been recalled, edited or deleted meanwhile.
  await requireStreaming(chat, stream, checkRoom(await findRoom(chat.db, app, room), room))
  chat.streamed.grew(stream)
  // Padded to the length of the piece, since the client's next piece names an offset.
  const shown = (await chat.censor.maskText(app, text)).padEnd(text.length, '*')
  const json = JSON.stringify({ room, sender, text: shown, message: id, at: begins })
  // The piece is stored, so a client that misses the live event reads it from the history.
  if (chat.bus.connected) await publishEvent(chat.bus, { to: { app, room }, event: 'ai_streaming', json, id: newId() })
  return { messageID: id, length: begins + text.length }
}

/** The caller's stream with this ID, or null. @throws ApiError INSUFFICIENT_PERMISSIONS if it is another user's */
export async function findOwnStream(chat: Chat, caller: Caller, id: string): Promise<OwnStream | null> {
  const stream = await findStreamAlone(chat.db, caller.app, id)
  if (stream && caller.kind === 'user' && caller.user !== stream.sender) {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the sender may stream a message')
  }
  return stream
}

/** Requires a message that was not recalled, edited or deleted. @throws ApiError MESSAGE_NOT_FOUND */
async function requireStreaming(chat: Chat, stream: Pick<OwnStream, 'app' | 'message'>, room: RoomDoc): Promise<void> {
  const message = await findSentMessage(chat.db, room._id, stream.message)
  if (message?.streaming && !isDeletedIn(message, room)) return
  // A later end call still finds the stream, and returns the message as it is.
  await endParts(chat.db, stream)
  throw notStreamed(stream.message)
}

function tooLong(): ApiError {
  return new ApiError('MESSAGE_TOO_LARGE', `text: a streamed message has at most ${maxMessageBytes} characters`)
}

export function notStreamed(id: string): ApiError {
  return new ApiError('MESSAGE_NOT_FOUND', `no message ${JSON.stringify(id)} is being streamed`)
}
