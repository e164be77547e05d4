import { clock } from '@parley/async/clock'
import type { ImportOf } from '@parley/contracts/import-line'
import { key } from '@parley/db/keys'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { pairKey } from '@parley/db/rooms/rooms'
import { versionStep } from '@parley/db/rooms/version-step'
import { threadKey } from '@parley/db/threads/thread'
import type { UserDoc } from '@parley/db/users/documents'
import { newUserDoc } from '@parley/db/users/users'
import { contentOf } from '../messages/sending/message-content.ts'
import { importedMessageId } from './known-ids.ts'

export function toUserDoc(app: string, { type: _type, _id, createdAt, ...profile }: ImportOf<'user'>): UserDoc {
  const given = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined))
  const user = newUserDoc(app, _id, given)
  return createdAt === undefined ? user : { ...user, createdAt: new Date(createdAt) }
}

/** Without members and messages: they follow. */
export function toRoomDoc(app: string, room: ImportOf<'room'>): RoomDoc {
  const { _id: id, roomType, owner, members: [a, b] = [], createdAt = clock.now() } = room
  return {
    _id: key(app, id),
    app,
    id,
    roomType,
    name: room.name ?? '',
    cover: room.cover ?? '',
    description: room.description ?? '',
    webhook: room.webhook ?? '',
    botState: room.botState ?? '',
    botMode: room.botMode ?? false,
    encrypted: room.encrypted ?? false,
    serviceStatus: room.serviceStatus ?? 0,
    roomTags: room.roomTags ?? [],
    extParams: JSON.stringify(room.extParams ?? {}),
    status: room.status ?? 1,
    importing: true,
    opening: room.opening ?? 0,
    ...(owner !== undefined && { owner }),
    managers: room.managers ?? [],
    ...(room.slowModeS && { slowModeS: room.slowModeS }),
    ...(room.expiresInS && { expiresInS: room.expiresInS }),
    ...(a !== undefined && b !== undefined && { pair: pairKey(app, a, b) }),
    createdAtMS: createdAt,
    version: versionStep(),
    seq: 0,
    // Its messages may be older than the room, where that does not say when it was made.
    clockMS: 0,
    lastMessageAtMS: 0,
    memberCount: 0,
    firstMembers: [],
  }
}

/**
 * @param seq in the room, or in the thread
 * @param times of its own in the room
 */
export function toMessageDoc(
  app: string,
  message: ImportOf<'message'>,
  seq: number,
  times: Pick<MessageDoc, 'createdAtMS' | 'updatedAtMS'>,
): MessageDoc {
  const { _id, room, sender, messageType, mentions = [], reactions = [], pinned, edited, isDeleted } = message
  const { threadOf, replyTo = threadOf, expiresInS = 0 } = message
  const idOf = (other: string) => importedMessageId(app, room, other)
  const root = threadOf === undefined ? undefined : idOf(threadOf)
  return {
    _id: importedMessageId(app, room, _id),
    app,
    room,
    roomKey: root === undefined ? key(app, room) : threadKey({ app, room }, root),
    seq,
    sender,
    ...(isDeleted !== true && { content: contentOf(message.message) }),
    messageType,
    ...times,
    ...(reactions.length > 0 && isDeleted !== true && { reactions }),
    ...(mentions.length > 0 && isDeleted !== true && { mentions }),
    // The ID that the message had before: clients see it, and the integrator finds it again.
    clientMessageID: _id,
    ...(pinned === true && isDeleted !== true && { pinned }),
    ...(edited === true && { edited }),
    ...(expiresInS > 0 && { expiresAtMS: times.createdAtMS + expiresInS * 1_000 }),
    ...(isDeleted === true && { isDeleted }),
    ...(replyTo !== undefined && { replyTo: replyTo === threadOf && root !== undefined ? root : idOf(replyTo) }),
    ...(root !== undefined && { threadOf: root }),
  }
}
