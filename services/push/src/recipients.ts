import type { Message } from '@parley/contracts/resources/message'
import { findBlockersOf } from '@parley/db/blocks'
import type { Db } from '@parley/db/connect'
import { type MemberToPush, pageMembers } from '@parley/db/memberships'
import type { RoomDoc } from '@parley/db/rooms'
import { findRobots } from '@parley/db/users'

export interface Recipient {
  user: string
  mentioned: boolean
}

/**
 * Who is to be pushed a message, in pages of the room's members: the members less the sender, robots, who is banned
 * there, who blocks the sender, and who muted the room, unless mentioned (decisions.md, "Push and webhooks"). Who is
 * online is not asked here.
 * A page is of the same members whenever it is asked for, as long as nobody leaves.
 */
export async function* pageRecipients(
  db: Db,
  room: RoomDoc,
  message: Message,
  perPage: number,
): AsyncGenerator<Recipient[]> {
  const mentions = new Set(message.mentions)
  for await (const page of pageMembers(db, room._id, perPage)) {
    const wanted = page.filter((member) => isWanted(member, room, message, mentions)).map(({ user }) => user)
    const [robots, blockers] = await Promise.all([
      findRobots(db, room.app, wanted),
      findBlockersOf(db, room.app, message.sender._id, wanted),
    ])
    yield wanted
      .filter((user) => !robots.has(user) && !blockers.has(user))
      .map((user) => ({ user, mentioned: mentions.has(user) }))
  }
}

function isWanted(member: MemberToPush, room: RoomDoc, message: Message, mentions: ReadonlySet<string>): boolean {
  if (member.user === message.sender._id) return false
  // Who came after the message begins with it read; the times alone could be of two clocks.
  if (member.joinedAtMS > message.createdAtMS && member.readSeq >= message.seq) return false
  // In a direct room `blocked` says that the other, who writes now, has blocked this one: no reason to leave him out.
  if (member.blocked && room.roomType === 'group') return false
  return member.pref?.muted !== true || mentions.has(member.user)
}
