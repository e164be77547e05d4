import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type {
  changeScheduled as changeOperation,
  listScheduled as listOperation,
  scheduleMessage as operation,
} from '@parley/contracts/operations/messages/scheduled'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import { letFilesGo } from '@parley/db/files/files'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import * as scheduled from '@parley/db/sending/scheduled'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import { asUser, type Caller, userOf } from '../../access/caller.ts'
import { requireMember } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { attachFiles } from '../../files/attach-files.ts'
import { bannedFromApp } from '../../moderation/ban-user.ts'
import { parseCursor, toCursor } from '../../page-cursor.ts'
import { requireReply } from '../../threads/require-reply.ts'
import { contentOf } from './message-content.ts'

const mostOfSender = 1_000
const yearMS = 366 * 24 * 60 * 60 * 1_000

/**
 * Records a message that is to be sent later (docs/reference/messages.md#send-later); send-scheduled.ts sends it.
 * @param idempotencyKey of the same there is one
 * @throws ApiError INVALID_REQUEST, MISSING_PARAMETER, MESSAGE_TOO_LARGE, ROOM_NOT_FOUND, CLIENT_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, USER_BANNED,
 *   FILE_NOT_FOUND, TOO_MANY_SCHEDULED
 */
export async function scheduleMessage(
  chat: Chat,
  by: Caller,
  { message, sender: named, skipTotalBadge, mentions, thread, ...given }: Input<typeof operation>['body'],
  idempotencyKey = given.clientMessageID,
): Promise<ScheduledMessage> {
  const { db } = chat
  const { app } = by
  const sender = userOf(by) ?? named
  if (sender === undefined) throw new ApiError('MISSING_PARAMETER', 'sender is required')
  if (sender !== (named ?? sender)) throw new ApiError('INVALID_REQUEST', 'sender: must be the caller')
  requireTime(given.sendAtMS)
  requireReply(thread, given.replyTo)
  const content = contentOf(message)
  await requireWriter(chat, app, sender, given.room)
  if ((await scheduled.countScheduled(db, app, sender, mostOfSender)) >= mostOfSender) {
    throw new ApiError('TOO_MANY_SCHEDULED', `at most ${mostOfSender} messages of a user are to be sent later`)
  }
  const byClient = by.kind === 'user'
  const attachments = given.attachments && (await attachFiles(chat, { app, sender, byClient }, given.attachments))
  const id = newId()
  const { room, messageType, sendAtMS, push, clientMessageID, replyTo, expiresInS } = given
  const made = await scheduled.insertScheduled(db, {
    ...{ _id: key(app, id), app, id, room, sender, senderKey: key(app, sender), content, messageType, push },
    ...{ sendAtMS, nextMS: sendAtMS, createdAtMS: Date.now() },
    ...(skipTotalBadge && { skipTotalBadge: true as const }),
    ...(mentions && { mentions }),
    ...(clientMessageID !== undefined && { clientMessageID }),
    ...(idempotencyKey !== undefined && { once: key(app, sender, room, idempotencyKey) }),
    ...(attachments && { attachments }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread && { thread }),
    ...(expiresInS !== undefined && { expiresInS }),
    ...(byClient && { byClient }),
  })
  return toView(made)
}

/** @throws ApiError INVALID_QUERY */
export async function listScheduled(
  { db }: Chat,
  by: Caller,
  { sender, limit, cursor }: Input<typeof listOperation>['query'],
): Promise<Result<typeof listOperation>> {
  const own = userOf(by)
  if (own !== undefined && sender !== undefined && sender !== own) {
    throw new ApiError('INVALID_QUERY', 'sender: must be the caller')
  }
  const after = parseCursor(cursor)
  const found = await scheduled.findScheduledPage(db, { app: by.app, sender: own ?? sender }, { after, limit })
  const last = found.length === limit ? found.at(-1) : undefined
  return { data: found.map(toView), ...(last && { cursor: toCursor({ atMS: last.sendAtMS, id: last.id }) }) }
}

/**
 * @throws ApiError SCHEDULED_NOT_FOUND, also when it is being sent; INVALID_REQUEST, FILE_NOT_FOUND, MESSAGE_TOO_LARGE, and what
 *   forbids the sender to write
 */
export async function changeScheduled(
  chat: Chat,
  by: Caller,
  id: string,
  { sendAtMS, message, messageType, attachments: wanted }: Input<typeof changeOperation>['body'],
): Promise<ScheduledMessage> {
  const { db } = chat
  const found = await findOwn(db, by, id)
  if (sendAtMS !== undefined || found.refused) requireTime(sendAtMS)
  await requireWriter(chat, by.app, found.sender, found.room)
  const attachments = wanted && (await attachFiles(chat, found, wanted))
  const changed = await scheduled.changeScheduled(db, found, {
    sendAtMS: sendAtMS ?? found.sendAtMS,
    ...(message !== undefined && { content: contentOf(message) }),
    ...(messageType !== undefined && { messageType }),
    ...(attachments && { attachments }),
  })
  if (!changed) throw unknown(id)
  if (attachments) await letFilesGo(db, by.app, found.attachments ?? [])
  return toView(changed)
}

/** @throws ApiError SCHEDULED_NOT_FOUND, also when it is being sent */
export async function cancelScheduled({ db }: Chat, by: Caller, id: string): Promise<ScheduledMessage> {
  const cancelled = await scheduled.cancelScheduled(db, await findOwn(db, by, id))
  if (!cancelled) throw unknown(id)
  await letFilesGo(db, by.app, cancelled.attachments ?? [])
  return toView(cancelled)
}

/** Who is banned now has nothing sent later either; all else is decided when it is due. */
async function requireWriter(chat: Chat, app: string, sender: string, room: string): Promise<void> {
  const user = await findUser(chat.db, app, sender)
  if (!user) throw new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(sender)}`)
  if (banInForce(user)) throw bannedFromApp(sender)
  const { membership } = await requireMember(chat, asUser(app, sender), room)
  if (isBlocked(membership)) {
    throw new ApiError('USER_BLOCKED', 'sender is banned in the room, or blocked by the other user')
  }
}

async function findOwn(db: Chat['db'], by: Caller, id: string): Promise<scheduled.ScheduledDoc> {
  const found = await scheduled.findScheduled(db, by.app, id)
  const own = userOf(by)
  if (!found || (own !== undefined && found.sender !== own)) throw unknown(id)
  return found
}

function unknown(id: string): ApiError {
  return new ApiError('SCHEDULED_NOT_FOUND', `id: no message ${JSON.stringify(id)} waits, or it is being sent`)
}

function requireTime(sendAtMS: number | undefined): void {
  const now = Date.now()
  if (sendAtMS !== undefined && sendAtMS > now && sendAtMS <= now + yearMS) return
  throw new ApiError('INVALID_REQUEST', 'sendAtMS: expected a time to come within a year, in Unix milliseconds')
}

function toView(doc: scheduled.ScheduledDoc): ScheduledMessage {
  const { id, room, sender, content, messageType, mentions, clientMessageID, replyTo, sendAtMS } = doc
  const { attachments, thread, expiresInS, createdAtMS, refused } = doc
  return {
    ...{ id, room, sender, message: JSON.parse(content) as unknown, messageType, sendAtMS, createdAtMS },
    ...(mentions && { mentions }),
    ...(clientMessageID !== undefined && { clientMessageID }),
    ...(attachments && { attachments }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread && { thread }),
    ...(expiresInS !== undefined && { expiresInS }),
    ...(refused && { refused }),
  }
}
