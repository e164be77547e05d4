import type { Message } from '@parley/contracts/resources/message'
import type { Db } from '@parley/db/connect'
import type { UserReason } from '@parley/db/push/documents'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { pageMembers } from '@parley/db/rooms/memberships'
import { pageThreadMembers } from '@parley/db/threads/thread-members'
import { findBlockersOf } from '@parley/db/users/blocks'
import { expandGroups } from '@parley/db/users/groups'
import { findUnpushed } from '@parley/db/users/users'
import { reasonOfMember } from './suppression-reasons.ts'

interface Recipient {
  user: string
  mentioned: boolean
}

/** A page of a room's members. */
export interface RecipientPage {
  recipients: Recipient[]
  /** The others, by reason. */
  left: { [R in UserReason]?: string[] }
}

/**
 * The recipients of a message's pushes, in pages of the room's members: without the sender, robots, members banned in
 * the room or from the app, those that block the sender, and those that muted the room, unless mentioned, alone or with
 * a group (docs/reference/push.md#recipients). Ignores connections. For a thread: its members, and the mentioned. A
 * page has the same members on each read, as long as no member leaves.
 */
export async function* pageRecipients(
  db: Db,
  room: RoomDoc,
  message: Message,
  perPage: number,
): AsyncGenerator<RecipientPage> {
  const mentions = await expandGroups(db, room.app, message.mentions ?? [])
  const sent = { ...message, sender: message.sender._id }
  for await (const page of pageOf(db, room, message, mentions, perPage)) {
    const left: RecipientPage['left'] = {}
    const leave = (user: string, reason: UserReason) => {
      const users = left[reason]
      if (users) users.push(user)
      else left[reason] = [user]
    }
    const wanted: string[] = []
    for (const member of page) {
      const reason = reasonOfMember(member, room, sent, mentions.has(member.user))
      if (reason === undefined) wanted.push(member.user)
      else leave(member.user, reason)
    }
    const [unpushed, blockers] = await Promise.all([
      findUnpushed(db, room.app, wanted),
      findBlockersOf(db, room.app, message.sender._id, wanted),
    ])
    const recipients: Recipient[] = []
    for (const user of wanted) {
      const reason = unpushed.get(user)
      if (reason) leave(user, reason)
      else if (blockers.has(user)) leave(user, 'BLOCKED')
      else recipients.push({ user, mentioned: mentions.has(user) })
    }
    yield { recipients, left }
  }
}

function pageOf(
  db: Db,
  { _id, app, id: room }: RoomDoc,
  { threadOf: root }: Message,
  mentions: ReadonlySet<string>,
  perPage: number,
) {
  return root === undefined
    ? pageMembers(db, _id, perPage)
    : pageThreadMembers(db, { app, room, root }, mentions, perPage)
}
