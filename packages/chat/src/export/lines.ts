import type { GivenLine } from '@parley/contracts/import-line'
import type { HoldDoc } from '@parley/db/holds/documents'
import type { MessageDoc, SavedMessageDoc, ScheduledDoc, UserDeletionDoc } from '@parley/db/messages/documents'
import type { ReportDoc } from '@parley/db/moderation/documents'
import type { BanDoc, InvitationDoc, MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { rootOf, type ThreadMember } from '@parley/db/threads/thread-members'
import { banInForce } from '@parley/db/users/app-bans'
import type { BlockDoc, DeviceDoc, PrefDoc, UserDoc } from '@parley/db/users/documents'
import { withField } from '../views/json-text.ts'

/** Formats documents as lines for `parley import` (docs/guides/import.md#the-file). */

type Given<T extends GivenLine['type']> = Extract<GivenLine, { type: T }>

/** Counts of omissions, reported to the operator. */
export interface LeftOut {
  files: number
  /** Thread messages without their root, which retention removed. */
  messages: number
}

export function userLine({ id, ...user }: UserDoc): string {
  const { nickname, description, email, avatarUrl, isRobot, isAdmin, commands = [], createdAt, notify } = user
  const line: Given<'user'> = {
    ...{ type: 'user', _id: id, nickname, avatarUrl, createdAt: createdAt.toISOString() },
    ...(description !== '' && { description }),
    ...{ email, isRobot: isRobot || undefined, isAdmin: isAdmin || undefined },
    ...(commands.length > 0 && { commands }),
    notifications: notify,
  }
  return JSON.stringify(line)
}

/** @param own as a member sees it, without roles and without fields for the integrator */
export function roomLine(room: RoomDoc, { own = false } = {}): string {
  const { id, roomType, pair, name, createdAtMS, memberCount } = room
  // The erasure of a user closes their direct rooms.
  const isAbandoned = roomType === 'direct' ? pair === undefined : memberCount === 0
  const [a, b] = pair?.split('\0').slice(1) ?? []
  const line: Given<'room'> = {
    ...{ type: 'room', _id: id, roomType, name, createdAt: new Date(createdAtMS).toISOString() },
    ...(a !== undefined && b !== undefined && { members: [a, b] }),
    abandoned: isAbandoned || undefined,
  }
  if (own) return JSON.stringify(line)
  const { cover, description, roomTags, webhook, botState, botMode, encrypted, serviceStatus, opening, status } = room
  const { owner, managers, slowModeS, expiresInS, retentionDays } = room
  const whole = {
    ...line,
    ...{ cover, description, roomTags, webhook, botState, botMode, encrypted, serviceStatus, opening, status },
    ...{ owner, managers: managers.length > 0 ? managers : undefined },
    ...{ slowModeS: slowModeS || undefined, expiresInS: expiresInS || undefined },
    retentionDays: retentionDays || undefined,
  } satisfies Given<'room'>
  return withField(whole, 'extParams', room.extParams)
}

/** @param goneUpToSeq of the room: messages up to it are not exported */
export function membershipLine(membership: MembershipDoc, goneUpToSeq = 0): string {
  const { room, user, joinedAtMS, readSeq, deliveredSeq, pref, notify } = membership
  const { tagColors, ...others } = pref ?? {}
  const line: Given<'membership'> = {
    ...{ type: 'membership', room, user, joinedAt: new Date(joinedAtMS).toISOString() },
    lastReadSeq: Math.max(0, readSeq - goneUpToSeq),
    ...(deliveredSeq !== undefined && { deliveredSeq: Math.max(0, deliveredSeq - goneUpToSeq) }),
    ...(notify && { notifications: notify }),
    ...(pref && {
      pref: {
        ...others,
        ...(tagColors !== undefined && { tagColors: JSON.parse(tagColors) as Record<string, string> }),
      },
    }),
  }
  return JSON.stringify(line)
}

export function messageLine(message: MessageDoc): string {
  const { _id, room, sender, messageType, createdAtMS, updatedAtMS, content, mentions, reactions, attachments } =
    message
  const { clientMessageID = _id, replyTo, threadOf, pinned, edited, recalled, system, isDeleted, expiresAtMS } = message
  const { push, skipTotalBadge } = message
  const line: Given<'message'> = {
    ...{ type: 'message', _id, room, sender, messageType, createdAt: createdAtMS, updatedAt: updatedAtMS },
    ...{ clientMessageID, mentions, reactions: reactions?.length ? reactions : undefined, attachments },
    ...{ replyTo, threadOf, pinned, edited, recalled, system, isDeleted, push, skipTotalBadge },
    expiresInS: expiresAtMS === undefined ? undefined : Math.round((expiresAtMS - createdAtMS) / 1_000),
  }
  return content === undefined ? JSON.stringify(line) : withField(line, 'message', content)
}

/** @param upToSeq of a deletion of all messages, among the exported ones */
export function deletionLine(room: string, { user, message }: UserDeletionDoc, upToSeq: number): string {
  const which = message === '' ? { upToSeq } : { message }
  return JSON.stringify({ type: 'deletion', room, user, ...which } satisfies Given<'deletion'>)
}

export function bookmarkLine({ user, room, message, createdAtMS }: SavedMessageDoc): string {
  const line: Given<'bookmark'> = { type: 'bookmark', user, room, message, createdAt: createdAtMS }
  return JSON.stringify(line)
}

export function reminderLine({ user, room, message, createdAtMS, atMS }: SavedMessageDoc): string {
  const line: Given<'reminder'> = { type: 'reminder', user, room, message, remindAt: atMS, createdAt: createdAtMS }
  return JSON.stringify(line)
}

/** @param goneUpToSeq of the thread @param max number of its exported messages */
export function threadLine(
  { room, roomKey, user, joinedAtMS, readSeq, notify }: ThreadMember,
  goneUpToSeq = 0,
  max = Infinity,
): string {
  const line: Given<'thread'> = {
    ...{ type: 'thread', room, threadOf: rootOf(roomKey), user, joinedAt: new Date(joinedAtMS).toISOString() },
    lastReadSeq: Math.min(Math.max(0, readSeq - goneUpToSeq), max),
    notifications: notify,
  }
  return JSON.stringify(line)
}

export function scheduledLine({ id, room, sender, content, messageType, sendAtMS, ...more }: ScheduledDoc): string {
  const { createdAtMS, mentions, clientMessageID, replyTo, thread, expiresInS, push, skipTotalBadge } = more
  const { byClient, refused, attachments } = more
  const line: Given<'scheduled'> = {
    ...{ type: 'scheduled', _id: id, room, sender, messageType, sendAt: sendAtMS, createdAt: createdAtMS },
    ...{ mentions, clientMessageID, replyTo, thread, expiresInS, push, skipTotalBadge, byClient, attachments },
    ...(refused && { refused: { code: refused.code, message: refused.message, at: refused.atMS } }),
  }
  return withField(line, 'message', content)
}

/** A report as it is between two decisions. */
export function reportLine({ id, room, message, threadOf, sender, messageType, content, ...more }: ReportDoc): string {
  const { messageTimeMS, reporters, count, decision, decidedAtMS, createdAtMS, updatedAtMS } = more
  const line: Given<'report'> = {
    ...{ type: 'report', _id: id, room, message, threadOf, sender, messageType, messageTime: messageTimeMS, count },
    reporters: reporters.map(({ client, reason, atMS }) => ({ client, reason, at: atMS })),
    ...{ decision, decidedAt: decidedAtMS, createdAt: createdAtMS, updatedAt: updatedAtMS },
  }
  return content === undefined ? JSON.stringify(line) : withField(line, 'content', content)
}

export function holdLine({ id, user, room, reason, createdAtMS, owed }: HoldDoc): string {
  const line: Given<'hold'> = {
    ...{ type: 'hold', _id: id, user, room, reason, createdAt: createdAtMS },
    ...(owed && { owed: owed.map(({ upToMS, ...one }) => ({ ...one, upTo: upToMS })) }),
  }
  return JSON.stringify(line)
}

export function deviceLine({ user, device: deviceId, token, type: network, language }: DeviceDoc): string {
  return JSON.stringify({ type: 'device', user, deviceId, token, network, language } satisfies Given<'device'>)
}

export function prefLine(user: string, { name, json }: PrefDoc): string {
  return withField({ type: 'pref', user, key: name }, 'data', json)
}

/** The ban of a user from the app; none if it has ended. */
export function appBanLines(user: UserDoc): string[] {
  const ban = banInForce(user)
  if (!ban) return []
  const createdAt = new Date(ban.atMS).toISOString()
  return [JSON.stringify({ type: 'ban', blockee: user.id, createdAt, untilMS: ban.untilMS } satisfies Given<'ban'>)]
}

export function banLine({ room, blockee, blocker, createdAt, untilMS }: BanDoc): string {
  const line: Given<'ban'> = {
    ...{ type: 'ban', room, blockee, createdAt: createdAt.toISOString() },
    ...(blocker !== '' && { blocker }),
    ...(untilMS !== undefined && { untilMS }),
  }
  return JSON.stringify(line)
}

export function invitationLine({ id, room, invitee, inviter, createdAt, updatedAt }: InvitationDoc): string {
  const line: Given<'invitation'> = {
    ...{ type: 'invitation', _id: id, room, invitee },
    ...(inviter !== '' && { inviter }),
    ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  }
  return JSON.stringify(line)
}

export function blockLine({ blocker, blockee, createdAt }: BlockDoc): string {
  return JSON.stringify({
    type: 'block',
    blocker,
    blockee,
    createdAt: createdAt.toISOString(),
  } satisfies Given<'block'>)
}

export function groupLine({ id, nickname, avatarUrl, groupMembers: members = [] }: UserDoc): string {
  return JSON.stringify({ type: 'group', _id: id, nickname, avatarUrl, members } satisfies Given<'group'>)
}

/** The user's last connection, which is no line of the import. */
export function connectionLine({ address, userAgent, lastLoginTimeMS, lastSeenMS, lastJoinOrCreateRoomTime }: UserDoc) {
  return JSON.stringify({ address, userAgent, lastLoginTimeMS, lastSeenMS, lastJoinOrCreateRoomTime })
}
