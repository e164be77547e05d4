import { ApiError } from '@parley/contracts/errors'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findSentMessage } from '@parley/db/messages/messages'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { type ReadMarker, unreadOf } from '@parley/db/rooms/memberships'
import { countedThread } from '@parley/db/threads/thread'
import type { Caller } from '../access/caller.ts'
import { requireReader } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { requireRoomOfMessage, unknownMessage } from '../messages/require-message.ts'

/**
 * The root of a thread and its room, by the ID of the root or of a message in the thread.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function findRoot(chat: Chat, caller: Caller, id: string): Promise<{ room: RoomDoc; root: MessageDoc }> {
  const { db } = chat
  const room = await requireReader(chat, caller, await requireRoomOfMessage(db, caller.app, id))
  const named = await findSentMessage(db, room._id, id)
  if (!named) throw unknownMessage(id)
  const [root = named] = named.threadOf === undefined ? [] : await findMessages(db, [named.threadOf])
  return { room, root }
}

/** Unread messages of a thread for a user, without counting. All three must be read at one snapshot. */
export function unreadInThread(
  root: Pick<MessageDoc, '_id' | 'app' | 'room' | 'thread'>,
  room: RoomDoc,
  member: (ReadMarker & Pick<MembershipDoc, '_id'>) | null,
): number {
  if (!member) return 0
  const { seq, deletedUpToSeq } = countedThread(root, room)
  return unreadOf(member, { seq, deletedUpToSeq, own: [] })
}

/** @throws ApiError MISSING_PARAMETER for a thread message without replyTo */
export function requireReply(thread: boolean | undefined, replyTo: string | undefined): void {
  if (thread && replyTo === undefined) throw new ApiError('MISSING_PARAMETER', 'replyTo is required with thread')
}
