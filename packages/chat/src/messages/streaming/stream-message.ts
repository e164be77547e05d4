import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { appendStream as append, openStream as open } from '@parley/contracts/operations/messages/streams'
import { maxMessageBytes, type SentMessage } from '@parley/contracts/resources/message'
import {
  deleteStream,
  findStream,
  insertStream,
  type MessageStreamDoc,
  textOfParts,
} from '@parley/db/messages/message-streams'
import { newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { asUser, type Caller } from '../../access/caller.ts'
import { requireMember, requireNotFrozen } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { toSentMessageView } from '../../views/message.ts'
import { sendContent } from '../sending/send-message.ts'
import { requireRobot } from './require-robot.ts'

/**
 * Opens a message that a robot writes piece by piece (docs/reference/messages.md#streamed-messages): it is sent with empty
 * text and without a push.
 * @throws ApiError INSUFFICIENT_PERMISSIONS when the sender is not a robot, and as sendMessage
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
  const closeAtMS = Date.now() + chat.settings.streamSilenceMS
  const stream = (message: string) => ({ app, message, room, sender: robot, push, parts: [], closeAtMS })
  // Before the message: a process that dies between the two leaves a stream that ends in silence, and never a message without.
  await insertStream(chat.db, stream(id))
  const { message, quoted } = await sendContent(chat, send, '""').catch(async (error: unknown) => {
    if (error instanceof ApiError && error.status < 500) await deleteStream(chat.db, { app, message: id })
    throw error
  })
  // It may have been opened before, under the same clientMessageID.
  if (message._id !== id) await deleteStream(chat.db, { app, message: id })
  // One whose message came late may have ended in silence.
  if (message.streaming) await insertStream(chat.db, stream(message._id))
  return toSentMessageView(message, quoted)
}

/**
 * Adds a piece: the room gets it live at once, and it is written within a second or so.
 * @throws ApiError MESSAGE_NOT_FOUND when nothing of this ID is being streamed, and as streamText
 */
export async function appendStream(
  chat: Chat,
  caller: Caller,
  id: string,
  { text, at }: Input<typeof append>['body'],
): Promise<Result<typeof append>> {
  const stream = await findOwnStream(chat, caller, id)
  const { app, room, sender } = stream
  await requireRobot(chat.db, app, sender)
  const { room: doc, membership } = await requireMember(chat, asUser(app, sender), room)
  if (isBlocked(membership)) throw new ApiError('USER_BLOCKED')
  requireNotFrozen(doc)
  const begins = at ?? chat.streamed.endOf(id) ?? textOfParts(stream.parts).length
  if (begins + text.length > maxMessageBytes) {
    throw new ApiError('MESSAGE_TOO_LARGE', `text: a streamed message has at most ${maxMessageBytes} characters`)
  }
  const length = chat.streamed.add({ app, message: id, part: { at: begins, text } })
  const json = JSON.stringify({ room, sender, text, message: id, at: begins })
  // It is written: who misses a live piece reads it in the history.
  if (chat.bus.connected) await publishEvent(chat.bus, { to: { app, room }, event: 'ai_streaming', json, id: newId() })
  return { messageID: id, length }
}

/** @throws ApiError MESSAGE_NOT_FOUND, INSUFFICIENT_PERMISSIONS when it is another's */
export async function findOwnStream(chat: Chat, caller: Caller, id: string): Promise<MessageStreamDoc> {
  const stream = await findStream(chat.db, caller.app, id)
  if (!stream) throw new ApiError('MESSAGE_NOT_FOUND', `no message ${JSON.stringify(id)} is being streamed`)
  if (caller.kind === 'user' && caller.user !== stream.sender) {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only its sender may stream a message')
  }
  return stream
}
