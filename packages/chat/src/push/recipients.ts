import { clock } from '@parley/async/clock'
import type { Message } from '@parley/contracts/resources/message'
import type { Mention } from '@parley/contracts/resources/push/decide-notification'
import type { AppNotifications } from '@parley/contracts/resources/push/notification-settings'
import { localTimes } from '@parley/contracts/resources/push/quiet-hours'
import type { Db } from '@parley/db/connect'
import type { UserReason } from '@parley/db/push/documents'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { type MemberToPush, pageMembers } from '@parley/db/rooms/memberships'
import { pageThreadMembers } from '@parley/db/threads/thread-members'
import { findBlockersOf } from '@parley/db/users/blocks'
import { findUsersToPush } from '@parley/db/users/users'
import { findMentions, type Mentions, mentionOf } from './mentions.ts'
import { keptBackBy, reasonOfMember } from './suppression-reasons.ts'

interface Recipient {
  user: string
  mention: Mention | undefined
}

export interface RecipientPage {
  recipients: Recipient[]
  left: { [R in UserReason]?: string[] }
}

export interface RecipientParts {
  db: Db
  notifications: AppNotifications
  /** Returns which of these users are connected. Called only for messages that mention @here. */
  findConnected: (users: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * The recipients of a message's pushes, in pages of the room's members. Leaves out the sender, bots, members banned in
 * the room or from the app, members who block the sender, and members whose settings suppress the push
 * (docs/reference/push.md#recipients). Ignores connections. For a thread: its members and those mentioned by name. A
 * page has the same members on each read, as long as no member leaves.
 */
export async function* pageRecipients(
  { db, notifications, findConnected }: RecipientParts,
  room: RoomDoc,
  message: Message,
  perPage: number,
): AsyncGenerator<RecipientPage> {
  const mentions = await findMentions(db, room.app, message.mentions)
  const sent = { ...message, sender: message.sender._id }
  const now = localTimes(clock.now())
  for await (const page of pageMembersOf(db, room, message, mentions, perPage)) {
    const left: RecipientPage['left'] = {}
    const leave = (user: string, reason: UserReason) => {
      const users = left[reason]
      if (users) users.push(user)
      else left[reason] = [user]
    }
    const here = mentions.all === 'here' ? await findConnected(page.map(({ user }) => user)) : new Set<string>()
    const to = (member: MemberToPush) => {
      const mention = mentionOf(member.user, mentions, here.has(member.user))
      return { member, room, messageType: message.messageType, mention, app: notifications }
    }
    const wanted = []
    for (const member of page) {
      const one = to(member)
      const reason = reasonOfMember(member, room, sent) ?? keptBackBy(one, now, 'unknown')
      if (reason === undefined) wanted.push(one)
      else leave(member.user, reason)
    }
    const ids = wanted.map(({ member }) => member.user)
    const [users, blockers] = await Promise.all([
      findUsersToPush(db, room.app, ids),
      findBlockersOf(db, room.app, message.sender._id, ids),
    ])
    const recipients: Recipient[] = []
    for (const one of wanted) {
      const { user } = one.member
      const found = users.get(user)
      const reason =
        found?.reason ?? (blockers.has(user) ? 'BLOCKED' : undefined) ?? keptBackBy(one, now, found?.notify)
      if (reason) leave(user, reason)
      else recipients.push({ user, mention: one.mention })
    }
    yield { recipients, left }
  }
}

function pageMembersOf(
  db: Db,
  { _id, app, id: room }: RoomDoc,
  { threadOf: root }: Message,
  { named }: Mentions,
  perPage: number,
) {
  return root === undefined ? pageMembers(db, _id, perPage) : pageThreadMembers(db, { app, room, root }, named, perPage)
}
