import type { MessageDoc } from '@parley/db/messages/documents'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { type ReadMarker, unreadOf } from '@parley/db/rooms/memberships'
import { countedThread } from '@parley/db/threads/thread'

/** Unread messages of a thread for one of its users; all three read at one snapshot. Exact, without counting. */
export function unreadInThread(
  root: Pick<MessageDoc, '_id' | 'app' | 'room' | 'thread'>,
  room: RoomDoc,
  member: (ReadMarker & Pick<MembershipDoc, '_id'>) | null,
): number {
  if (!member) return 0
  const { seq, deletedUpToSeq } = countedThread(root, room)
  return unreadOf(member, { seq, deletedUpToSeq, own: [] })
}
