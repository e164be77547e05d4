import { ApiError } from '@parley/contracts/errors'
import type { Message } from '@parley/contracts/resources/message'
import type { Session } from '@parley/db/connect'
import type { OutboxEvent } from '@parley/db/events/documents'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { type MessageChange, changeMessage as writeChange } from '@parley/db/messages/change-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { setSearchWords } from '@parley/db/messages/search-texts'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { advanceRoomClock } from '@parley/db/rooms/rooms'
import type { UserDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import { type Caller, userOf } from '../../access/caller.ts'
import { checkRoom, requireMemberOf } from '../../access/require-member.ts'
import { type AuditDetails, changedFields } from '../../audit/recorder.ts'
import type { Chat } from '../../chat.ts'
import { commitChange } from '../../events/change-and-notify.ts'
import { justWritten } from '../../events/current-docs.ts'
import { messageChanged } from '../../events/event-builders.ts'
import { messageOrderingKey } from '../../events/ordering-keys.ts'
import { termsOfContent } from '../../search/search-words.ts'
import { toMessageView } from '../../views/message.ts'
import { findQuoted, type Quoted } from '../reading/quoted-messages.ts'
import { requireRoomOfMessage, unknownMessage } from '../require-message.ts'
import { uncountMessages } from './uncount-messages.ts'

/** Identifies a message, with its room if the request names one. */
export interface MessageName {
  id: string
  room?: string
}

/**
 * The common part of edits, recalls, reactions and pins: a member who is not banned, or the integrator, changes a
 * message that is not deleted. Its updated time rises, and messageUpdated goes to the room. If `change` returns
 * undefined, nothing changes, and neither the event nor `also` is published.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND, USER_BLOCKED, and the errors of `change`
 */
export async function changeMessage(
  chat: Chat,
  caller: Caller,
  name: MessageName,
  change: (message: MessageDoc, room: RoomDoc) => MessageChange | undefined | Promise<MessageChange | undefined>,
  also: readonly OutboxEvent[] = [],
): Promise<{ message: MessageDoc; sender: UserDoc | undefined; quoted: Quoted }> {
  const { db } = chat
  const roomId = name.room ?? (await requireRoomOfMessage(db, caller.app, name.id))
  const { value, entries } = await commitChange(chat, messageOrderingKey(name.id), async (session, pending) => {
    const taken = await lockRoom(db, caller.app, roomId, session)
    const { room, isBanned } = await requireChanger(chat, caller, roomId, taken, session)
    const [found] = await findMessages(db, [name.id], { app: caller.app, room: room.id, session })
    if (!found || isDeletedIn(found, room)) throw unknownMessage(name.id)
    if (isBanned) throw new ApiError('USER_BLOCKED')
    const wanted = await change(found, room)
    if (!wanted) {
      chat.audit?.addDetails(changeInAudit(found, found))
      return { message: found, room }
    }
    const updatedAtMS = await advanceRoomClock(db, room, session)
    const written = await writeChange(db, found, wanted, updatedAtMS, session)
    chat.audit?.addDetails(changeInAudit(found, written))
    pending.push(messageChanged(written._id, 'messageUpdated', updatedAtMS, userOf(caller)), ...also)
    // Streamed text is in the message, but is indexed only once the stream has ended.
    const hasEnded = found.streaming && !written.streaming
    if (written.recalled && !found.recalled) await uncountMessages(db, room, [found], session)
    else if (hasEnded || written.content !== found.content) {
      await setSearchWords(db, [written], termsOfContent(written.content), session)
    }
    return { message: written, room }
  })
  const { message, room } = value
  const [found, quoted] = await Promise.all([findUser(db, caller.app, message.sender), findQuoted(db, [message])])
  const sender = found ?? undefined
  void chat.outbox.publishInRoom(room, entries, justWritten({ messages: [{ message, sender, quoted }] }))
  return { message, sender, quoted }
}

function changeInAudit(found: MessageDoc, written: MessageDoc): AuditDetails {
  const shown = ({ messageType, content, attachments, mentions = [], pinned }: MessageDoc) => {
    return { messageType, content, attachments, mentions, pinned: Boolean(pinned) }
  }
  const { before, after } = changedFields(shown(found), shown(written), ['content', 'attachments'])
  return { before: { room: found.room, sender: found.sender, ...before }, after }
}

/** @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
async function requireChanger(
  chat: Chat,
  caller: Caller,
  roomId: string,
  taken: RoomDoc | null,
  session: Session,
): Promise<{ room: RoomDoc; isBanned: boolean }> {
  if (caller.kind === 'integrator') return { room: checkRoom(taken, roomId), isBanned: false }
  const { room, membership } = await requireMemberOf(chat, caller, roomId, taken, session)
  return { room, isBanned: isBlocked(membership) }
}

/** Like changeMessage, but returns the message as everyone sees it. */
export async function changeToView(...given: Parameters<typeof changeMessage>): Promise<Message> {
  const { message, sender, quoted } = await changeMessage(...given)
  return toMessageView(message, sender, quoted)
}
