import { reasonOfStanding } from '@parley/chat/integrations/push-reason'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { UserReason } from '@parley/db/push/documents'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findBlocks } from '@parley/db/users/blocks'
import { findUnpushed } from '@parley/db/users/users'

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
 * Why users get no push by now of messages of which they were to get one, by `id`: as it is decided for those that
 * are new (recipients.ts). One query of each kind for all.
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
