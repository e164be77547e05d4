import type { MessageDoc } from '@parley/db/messages/messages'
import type { UserReason } from '@parley/db/push/push-decisions'
import { type BlockMark, isBlocked } from '@parley/db/rooms/blocked-members'
import { type MemberToPush } from '@parley/db/rooms/memberships'
import type { RoomDoc } from '@parley/db/rooms/rooms'

/**
 * Why a member gets no push of a message, as far as the membership decides (docs/reference/push.md#who-gets-a-push).
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
  // Members who joined after the message begin with it read; times alone might come from two clocks.
  const beganAfter = threadOf !== undefined || member.readSeq >= seq
  if (member.joinedAtMS > createdAtMS && beganAfter) return 'NOT_A_MEMBER'
  return reasonOfStanding(member, room, isMentioned)
}

/** Why a member gets no push of any message of the room: what may change while one waits. */
export function reasonOfStanding(
  member: Pick<MemberToPush, 'pref'> & BlockMark,
  room: Pick<RoomDoc, 'roomType'>,
  isMentioned: boolean,
): 'BANNED' | 'MUTED' | undefined {
  // In a direct room `blocked` means that the sender has blocked this member, who still gets the push.
  if (isBlocked(member) && room.roomType === 'group') return 'BANNED'
  return member.pref?.muted === true && !isMentioned ? 'MUTED' : undefined
}
