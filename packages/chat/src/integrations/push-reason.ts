import type { MessageDoc } from '@parley/db/messages/documents'
import type { UserReason } from '@parley/db/push/documents'
import { type BlockMark, isBlocked } from '@parley/db/rooms/blocked-members'
import type { RoomDoc } from '@parley/db/rooms/documents'
import type { MemberToPush } from '@parley/db/rooms/memberships'

/**
 * The reason for no push of a message to a member, as far as the membership decides
 * (docs/reference/push.md#recipients).
 * @param isMentioned alone or with a group
 */
export function reasonOfMember(
  member: MemberToPush,
  room: Pick<RoomDoc, 'roomType'>,
  {
    sender,
    seq,
    createdAtMS,
    threadOf,
  }: Pick<MessageDoc, 'sender' | 'seq' | 'createdAtMS'> & { threadOf?: string | undefined },
  isMentioned: boolean,
): UserReason | undefined {
  if (member.user === sender) return 'SENDER'
  // For later members the message is read; times alone might come from two clocks.
  const beganAfter = threadOf !== undefined || member.readSeq >= seq
  if (member.joinedAtMS > createdAtMS && beganAfter) return 'NOT_A_MEMBER'
  return reasonOfStanding(member, room, isMentioned)
}

/** The reason for no push of any message of the room to a member: the part that may change while a push waits. */
export function reasonOfStanding(
  member: Pick<MemberToPush, 'pref'> & BlockMark,
  room: Pick<RoomDoc, 'roomType'>,
  isMentioned: boolean,
): 'BANNED' | 'MUTED' | undefined {
  // In a direct room `blocked` means that the sender has blocked this member, and the push goes out.
  if (isBlocked(member) && room.roomType === 'group') return 'BANNED'
  return member.pref?.muted === true && !isMentioned ? 'MUTED' : undefined
}
