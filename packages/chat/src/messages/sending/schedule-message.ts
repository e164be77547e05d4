import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { scheduleMessage as operation } from '@parley/contracts/operations/messages/scheduled'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { countScheduled, findScheduledOnce, insertScheduled } from '@parley/db/messages/scheduled'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import { asUser, type Caller, userOf } from '../../access/caller.ts'
import { requireMember } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { attachFiles } from '../../files/attach-files.ts'
import { bannedFromApp } from '../../moderation/banned-from-app.ts'
import { requireReply } from '../../threads/require-reply.ts'
import { toScheduledView } from '../../views/scheduled-message.ts'
import { contentOf } from './message-content.ts'

const mostOfSender = 1_000
const yearMS = 366 * 24 * 60 * 60 * 1_000

/**
 * Stores a scheduled message (docs/reference/messages.md#send-later); send-scheduled.ts sends it.
 * @param idempotencyKey a repeat with the same key returns the first one
 * @throws ApiError INVALID_REQUEST, MISSING_PARAMETER, MESSAGE_TOO_LARGE, ROOM_NOT_FOUND, CLIENT_NOT_FOUND,
 *   NOT_ROOM_MEMBER, USER_BLOCKED, USER_BANNED, FILE_NOT_FOUND, TOO_MANY_SCHEDULED
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
  const once = idempotencyKey === undefined ? undefined : key(app, sender, given.room, idempotencyKey)
  // Before the checks: the time may have passed since, the files may be gone, or the schedule limit is reached.
  const earlier = once !== undefined && (await findScheduledOnce(db, once))
  if (earlier) return toScheduledView(earlier)
  requireScheduledTime(given.sendAtMS)
  requireReply(thread, given.replyTo)
  const content = contentOf(message)
  await requireWriter(chat, app, sender, given.room)
  if ((await countScheduled(db, app, sender, mostOfSender)) >= mostOfSender) {
    throw new ApiError('TOO_MANY_SCHEDULED', `at most ${mostOfSender} messages of a user are to be sent later`)
  }
  const byClient = by.kind === 'user'
  const attachments = given.attachments && (await attachFiles(chat, { app, sender, byClient }, given.attachments))
  const id = newId()
  const { room, messageType, sendAtMS, push, clientMessageID, replyTo, expiresInS } = given
  const made = await insertScheduled(db, {
    ...{ _id: key(app, id), app, id, room, sender, senderKey: key(app, sender), content, messageType, push },
    ...{ sendAtMS, nextMS: sendAtMS, createdAtMS: clock.now() },
    ...(skipTotalBadge && { skipTotalBadge: true as const }),
    ...(mentions && { mentions }),
    ...(clientMessageID !== undefined && { clientMessageID }),
    ...(once !== undefined && { once }),
    ...(attachments && { attachments }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread && { thread }),
    ...(expiresInS !== undefined && { expiresInS }),
    ...(byClient && { byClient }),
  })
  if (made === 'no sender') throw unknownSender(sender)
  return toScheduledView(made)
}

function unknownSender(sender: string): ApiError {
  return new ApiError('CLIENT_NOT_FOUND', `sender: no user ${JSON.stringify(sender)}`)
}

/** A ban refuses scheduling now; every other rule is checked when the message is due. */
export async function requireWriter(chat: Chat, app: string, sender: string, room: string): Promise<void> {
  const user = await findUser(chat.db, app, sender)
  if (!user) throw unknownSender(sender)
  if (banInForce(user)) throw bannedFromApp(sender)
  const { membership } = await requireMember(chat, asUser(app, sender), room)
  if (isBlocked(membership)) {
    throw new ApiError('USER_BLOCKED', 'sender is banned in the room, or blocked by the other user')
  }
}

/** @throws ApiError INVALID_REQUEST if the time is past or too far away */
export function requireScheduledTime(sendAtMS: number | undefined): void {
  const now = clock.now()
  if (sendAtMS !== undefined && sendAtMS > now && sendAtMS <= now + yearMS) return
  throw new ApiError('INVALID_REQUEST', 'sendAtMS: expected a time to come within a year, in Unix milliseconds')
}
