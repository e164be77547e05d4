import { publishEvent } from '@parley/bus/publish'
import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { markRead as operation } from '@parley/contracts/operations/rooms'
import { currentMarker, type MembershipDoc, setReadMarker, unreadOf } from '@parley/db/memberships'
import { countUncountedAfter, findMessage, newMessageId } from '@parley/db/messages'
import { inTransaction, type Session } from '@parley/db/transaction'
import { findDeletedUpTo } from '@parley/db/user-deletions'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'

/**
 * Moves the caller's read marker to a message and tells all members of the room (interface.md, PUT
 * /rooms/:id/lastRead). The marker never moves backwards: an older message changes and tells nothing.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND
 */
export async function markRead(
  chat: Chat,
  caller: Pick<UserCaller, 'app' | 'user'>,
  roomId: string,
  messageId: string,
): Promise<Result<typeof operation>> {
  const { app, user } = caller
  const { unread, moved } = await inTransaction(chat.db, async (session) => {
    const { room, membership } = await requireMember(chat, caller, roomId, session)
    const message = await findMessage(chat.db, room._id, messageId, session)
    if (!message)
      throw new ApiError('MESSAGE_NOT_FOUND', `message: no message ${JSON.stringify(messageId)} in the room`)
    const { readSeq } = currentMarker(membership, room)
    if (message.seq <= readSeq) return { unread: unreadOf(membership, room), moved: message.seq === readSeq }
    const marker = { readSeq: message.seq, uncounted: await uncountedAfter(chat, membership, message.seq, session) }
    await setReadMarker(chat.db, membership._id, marker, session)
    return { unread: unreadOf(marker, room), moved: true }
  })
  const payload = { roomID: roomId, memberID: user, messageID: messageId }
  if (moved) await publishLastRead(chat, app, payload)
  return { ...payload, unread }
}

/** What the membership's `uncounted` is once the marker stands at `seq`. */
async function uncountedAfter(chat: Chat, membership: MembershipDoc, seq: number, session: Session): Promise<number> {
  const { app, room, user } = membership
  const deletedUpTo = Math.max(seq, await findDeletedUpTo(chat.db, app, room, user, session))
  const after = await countUncountedAfter(chat.db, membership.roomKey, membership.user, deletedUpTo, session)
  return deletedUpTo - seq + after
}

async function publishLastRead(
  chat: Chat,
  app: string,
  payload: { roomID: string; memberID: string; messageID: string },
): Promise<void> {
  const to = { app, room: payload.roomID }
  const event = { to, event: 'lastRead' as const, json: JSON.stringify(payload), id: newMessageId() }
  await publishEvent(chat.bus, event).catch((error) => {
    chat.log.warn({ err: error, room: payload.roomID }, 'lastRead event not published')
  })
}
