import { clock } from '@parley/async/clock'
import { decideNotification, type KeptBackBy, type Mention } from '@parley/contracts/resources/push/decide-notification'
import type { PushReason } from '@parley/contracts/resources/push/explanation'
import type { AppNotifications } from '@parley/contracts/resources/push/notification-settings'
import { isQuiet, type LocalTimes, localTimes } from '@parley/contracts/resources/push/quiet-hours'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { UserReason } from '@parley/db/push/documents'
import { type BlockMark, isBlocked } from '@parley/db/rooms/blocked-members'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findMembership, findMembershipsByKey, type MemberToPush } from '@parley/db/rooms/memberships'
import { findRoom, findRoomsByKey } from '@parley/db/rooms/rooms'
import { findThreadMember, findThreadNotifications } from '@parley/db/threads/thread-members'
import { findBlocks } from '@parley/db/users/blocks'
import type { DeviceDoc, UserDoc } from '@parley/db/users/documents'
import { findUsersToPush } from '@parley/db/users/users'
import { findMentions, mentionOf } from './mentions.ts'
import { findAppNotifications, type NotificationsOfApp } from './notification-settings.ts'

type Sent = Pick<MessageDoc, 'sender' | 'seq' | 'createdAtMS'> & { threadOf?: string | undefined }

/** Why a member gets no push, as far as the membership decides (docs/reference/push.md#recipients). */
export function reasonOfMember(
  member: MemberToPush,
  room: Pick<RoomDoc, 'roomType'>,
  { sender, seq, createdAtMS, threadOf }: Sent,
): UserReason | undefined {
  if (member.user === sender) return 'SENDER'
  // A member who joined later has a read position past the message. Times alone could come from two clocks.
  const beganAfter = threadOf !== undefined || member.readSeq >= seq
  if (member.joinedAtMS > createdAtMS && beganAfter) return 'NOT_A_MEMBER'
  return isBannedIn(member, room) ? 'BANNED' : undefined
}

/** In a direct room `blocked` means that the sender has blocked this member; the push is still sent. */
function isBannedIn(member: BlockMark, { roomType }: Pick<RoomDoc, 'roomType'>): boolean {
  return isBlocked(member) && roomType === 'group'
}

/** The facts about a message and a member that notification settings decide on. */
interface MessageToMember {
  member: Pick<MemberToPush, 'pref' | 'notify' | 'thread'>
  room: Pick<RoomDoc, 'roomType'>
  messageType: string
  mention: Mention | undefined
  app: AppNotifications
}

/**
 * The setting that suppresses the push. With `user` unknown, checks only settings of the room and below, which the
 * user's global settings cannot override.
 */
export function keptBackBy(
  { member, room, messageType, mention, app }: MessageToMember,
  now: LocalTimes,
  user?: UserDoc['notify'] | 'unknown',
): KeptBackBy | undefined {
  const isKnown = user !== 'unknown'
  const ofUser = isKnown ? user : undefined
  const by = decideNotification({
    ...{ roomType: room.roomType, messageType, mention, app },
    ...{ user: ofUser, room: member.notify, thread: member.thread },
    isMuted: member.pref?.muted === true,
    isQuiet: () => ofUser?.doNotDisturb !== undefined && isQuiet(ofUser.doNotDisturb, now),
    atMS: now.atMS,
  })
  return by === 'LEVEL_OF_APP' && !isKnown ? undefined : by
}

interface PushToMember {
  id: string
  user: string
  room: string
  /** ID of the sender; empty if unknown. */
  sender: string
  messageType: string
  mention: Mention | undefined
  threadOf?: string | undefined
}

/** Why waiting pushes are no longer due, by `id`, as for new messages (recipients.ts). One query per kind for all. */
export async function findSuppressionReasons(
  db: Db,
  app: string,
  pushes: readonly PushToMember[],
  notificationsOf: NotificationsOfApp,
): Promise<Map<string, UserReason>> {
  if (pushes.length === 0) return new Map()
  const roomOf = ({ room }: PushToMember) => key(app, room)
  const memberOf = ({ room, user }: PushToMember) => key(app, room, user)
  const threadOf = ({ room, threadOf: root = '', user }: PushToMember) => key(app, room, root, user)
  const blockOf = ({ user, sender }: PushToMember) => key(app, user, sender)
  const [foundMembers, foundRooms, users, blocks, threads, ofApp] = await Promise.all([
    findMembershipsByKey(db, pushes.map(memberOf)),
    findRoomsByKey(db, [...new Set(pushes.map(roomOf))]),
    findUsersToPush(db, app, [...new Set(pushes.map(({ user }) => user))]),
    findBlocks(db, pushes.map(blockOf)),
    findThreadNotifications(db, pushes.filter((one) => one.threadOf !== undefined).map(threadOf)),
    notificationsOf(app),
  ])
  const members = new Map(foundMembers.map((member) => [member._id, member] as const))
  const rooms = new Map(foundRooms.map((room) => [room._id, room] as const))
  const now = localTimes(clock.now())
  const reasonOf = (one: PushToMember): UserReason | undefined => {
    const [found, room, user] = [members.get(memberOf(one)), rooms.get(roomOf(one)), users.get(one.user)]
    if (!found || !room || room.deletedAt) return 'NOT_A_MEMBER'
    if (isBannedIn(found, room)) return 'BANNED'
    const member = { ...found, thread: threads.get(threadOf(one)) }
    const { messageType, mention } = one
    const reason = keptBackBy({ member, room, messageType, mention, app: ofApp }, now, user?.notify) ?? user?.reason
    return reason ?? (blocks.has(blockOf(one)) ? 'BLOCKED' : undefined)
  }
  return new Map(
    pushes.flatMap((one) => {
      const reason = reasonOf(one)
      return reason ? [[one.id, reason] as const] : []
    }),
  )
}

/** The current reason for a user without a record: no network is configured, not handled yet, or expired. */
export async function reasonNow(
  db: Db,
  message: MessageDoc,
  client: string,
  devices: readonly DeviceDoc[],
): Promise<PushReason> {
  const { app, room: roomId, sender, messageType } = message
  const room = await findRoom(db, app, roomId)
  const found = await findMembership(db, app, roomId, client)
  if (!room || !found) return 'NOT_A_MEMBER'
  const reason = reasonOfMember(found, room, message)
  if (reason) return reason
  const { threadOf } = message
  const mentions = await findMentions(db, app, message.mentions)
  if (threadOf !== undefined && !mentions.named.has(client)) {
    if (!(await findThreadMember(db, { app, room: roomId, root: threadOf }, client))) return 'NOT_IN_THREAD'
  }
  const push = { id: message._id, user: client, room: roomId, sender, messageType, threadOf }
  const pushes = [{ ...push, mention: mentionOf(client, mentions) }]
  const reasons = await findSuppressionReasons(db, app, pushes, (of) => findAppNotifications(db, of))
  const suppressed = reasons.get(push.id)
  if (suppressed) return suppressed
  return devices.length === 0 ? 'NO_DEVICE' : 'NOT_RECORDED'
}
