import type { PushReason } from '@parley/contracts/resources/push-explanation'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { UserReason } from '@parley/db/push/documents'
import { type BlockMark, isBlocked } from '@parley/db/rooms/blocked-members'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findMembership, findMembershipsByKey, type MemberToPush } from '@parley/db/rooms/memberships'
import { findRoom, findRoomsByKey } from '@parley/db/rooms/rooms'
import { findThreadMember } from '@parley/db/threads/thread-members'
import { findBlockersOf, findBlocks } from '@parley/db/users/blocks'
import type { DeviceDoc } from '@parley/db/users/documents'
import { expandGroups } from '@parley/db/users/groups'
import { findUnpushed } from '@parley/db/users/users'

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
  // For later members the message is read; times alone could come from two clocks.
  const beganAfter = threadOf !== undefined || member.readSeq >= seq
  if (member.joinedAtMS > createdAtMS && beganAfter) return 'NOT_A_MEMBER'
  return reasonOfStanding(member, room, isMentioned)
}

/** The reason for no push of any message of the room to a member: the part that can change while a push waits. */
function reasonOfStanding(
  member: Pick<MemberToPush, 'pref'> & BlockMark,
  room: Pick<RoomDoc, 'roomType'>,
  isMentioned: boolean,
): 'BANNED' | 'MUTED' | undefined {
  // In a direct room `blocked` means that the sender has blocked this member, and the push goes out.
  if (isBlocked(member) && room.roomType === 'group') return 'BANNED'
  return member.pref?.muted === true && !isMentioned ? 'MUTED' : undefined
}

/** A push of a message to a member of its room. */
export interface PushToMember {
  /** Any. */
  id: string
  user: string
  room: string
  /** ID of the user; '' when it is not known. */
  sender: string
  mentioned: boolean
}

/**
 * The reasons that waiting pushes are no longer due, by `id`, decided as for new messages (recipients.ts). One query of each kind for
 * all.
 */
export async function findSuppressionReasons(
  db: Db,
  app: string,
  pushes: readonly PushToMember[],
): Promise<Map<string, UserReason>> {
  if (pushes.length === 0) return new Map()
  const roomOf = ({ room }: PushToMember) => key(app, room)
  const memberOf = ({ room, user }: PushToMember) => key(app, room, user)
  const blockOf = ({ user, sender }: PushToMember) => key(app, user, sender)
  const [foundMembers, foundRooms, unpushed, blocks] = await Promise.all([
    findMembershipsByKey(db, pushes.map(memberOf)),
    findRoomsByKey(db, [...new Set(pushes.map(roomOf))]),
    findUnpushed(db, app, [...new Set(pushes.map(({ user }) => user))]),
    findBlocks(db, pushes.map(blockOf)),
  ])
  const members = new Map(foundMembers.map((member) => [member._id, member] as const))
  const rooms = new Map(foundRooms.map((room) => [room._id, room] as const))
  const reasonOf = (one: PushToMember): UserReason | undefined => {
    const [member, room] = [members.get(memberOf(one)), rooms.get(roomOf(one))]
    if (!member || !room || room.deletedAt) return 'NOT_A_MEMBER'
    const reason = reasonOfStanding(member, room, one.mentioned) ?? unpushed.get(one.user)
    return reason ?? (blocks.has(blockOf(one)) ? 'BLOCKED' : undefined)
  }
  return new Map(
    pushes.flatMap((one) => {
      const reason = reasonOf(one)
      return reason ? [[one.id, reason] as const] : []
    }),
  )
}

/**
 * The current suppression reason of a push to a user without a record: no network is configured, the push service has not handled the
 * message yet, or its records have expired.
 */
export async function reasonNow(
  db: Db,
  message: MessageDoc,
  client: string,
  devices: readonly DeviceDoc[],
): Promise<PushReason> {
  const { app, room: roomId, sender } = message
  const room = await findRoom(db, app, roomId)
  const member = await findMembership(db, app, roomId, client)
  if (!room || !member) return 'NOT_A_MEMBER'
  const mentions = await expandGroups(db, app, message.mentions ?? [])
  const reason = reasonOfMember(member, room, message, mentions.has(client))
  if (reason) return reason
  if (message.threadOf !== undefined && !mentions.has(client)) {
    const thread = { app, room: roomId, root: message.threadOf }
    if (!(await findThreadMember(db, thread, client))) return 'NOT_IN_THREAD'
  }
  const unpushed = (await findUnpushed(db, app, [client])).get(client)
  if (unpushed) return unpushed
  if ((await findBlockersOf(db, app, sender, [client])).has(client)) return 'BLOCKED'
  return devices.length === 0 ? 'NO_DEVICE' : 'NOT_RECORDED'
}
