import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { ImportOf } from '@parley/contracts/import-line'
import type { ImportedDeletion } from '@parley/db/import/imported-deletions'
import type { ImportedThreadMember } from '@parley/db/import/imported-thread-members'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { newRoomDoc } from '@parley/db/rooms/new-room'
import { threadKey } from '@parley/db/threads/thread'
import type { UserDoc } from '@parley/db/users/documents'
import { newUserDoc } from '@parley/db/users/users'
import { contentOf } from '../messages/draft.ts'
import { importedMessageId } from './known-ids.ts'

export function toUserDoc(
  app: string,
  { type: _type, erased: _erased, _id, createdAt, notifications: notify, ...profile }: ImportOf<'user'>,
): UserDoc {
  const given = defined(profile)
  const user = { ...newUserDoc(app, _id, given), ...(notify && { notify }) }
  return createdAt === undefined ? user : { ...user, createdAt: new Date(createdAt) }
}

/**
 * A room without members and messages, which follow. Its clock starts at 0, since messages may be older than the room.
 */
export function toRoomDoc(app: string, line: ImportOf<'room'>): RoomDoc {
  const { type: _type, _id: id, members, createdAt, systemMessage: _none, abandoned, ...room } = line
  const createdAtMS = createdAt ?? clock.now()
  // As if one of the two had been erased.
  const status = room.roomType === 'direct' && abandoned === true ? 0 : room.status
  return { ...newRoomDoc(app, { ...room, id, pair: members, createdAtMS, status }), importing: true }
}

export function toDeletion(app: string, { room, user, message, upToSeq }: ImportOf<'deletion'>): ImportedDeletion {
  return {
    app,
    room,
    user,
    upToSeq,
    message: message === undefined ? undefined : importedMessageId(app, room, message),
  }
}

/** @param seq number of the file's messages in the thread */
export function toThreadMember(
  app: string,
  { room, threadOf, user, joinedAt: joinedAtMS, lastReadSeq, notifications: notify }: ImportOf<'thread'>,
  seq: number,
): ImportedThreadMember {
  const root = importedMessageId(app, room, threadOf)
  return { app, room, root, user, joinedAtMS, readSeq: Math.min(lastReadSeq ?? seq, seq), notify }
}

/** @param seq in the room or thread @param times unique in the room */
export function toMessageDoc(
  app: string,
  message: ImportOf<'message'>,
  seq: number,
  times: Pick<MessageDoc, 'createdAtMS' | 'updatedAtMS'>,
): MessageDoc {
  const { _id, room, sender, messageType, mentions = [], reactions = [], pinned, edited, isDeleted } = message
  const { recalled, system } = message
  const { threadOf, replyTo = threadOf, expiresInS = 0, clientMessageID = _id, push, skipTotalBadge } = message
  const idOf = (other: string) => importedMessageId(app, room, other)
  const root = threadOf === undefined ? undefined : idOf(threadOf)
  return {
    _id: importedMessageId(app, room, _id),
    app,
    room,
    roomKey: root === undefined ? key(app, room) : threadKey({ app, room }, root),
    seq,
    sender,
    ...(isDeleted !== true && recalled !== true && { content: contentOf(message.message) }),
    messageType,
    ...times,
    ...(reactions.length > 0 && { reactions }),
    ...(mentions.length > 0 && { mentions: [...new Set(mentions)] }),
    // Defaults to the original ID, which clients see and the integrator can look up.
    clientMessageID,
    ...(push === false && { push }),
    ...(skipTotalBadge === true && { skipTotalBadge }),
    ...(pinned === true && { pinned }),
    ...(edited === true && { edited }),
    ...(recalled === true && { recalled }),
    ...(system === true && { system }),
    ...(expiresInS > 0 && { expiresAtMS: times.createdAtMS + expiresInS * 1_000 }),
    ...(isDeleted === true && { isDeleted }),
    ...(replyTo !== undefined && { replyTo: replyTo === threadOf && root !== undefined ? root : idOf(replyTo) }),
    ...(root !== undefined && { threadOf: root }),
  }
}
