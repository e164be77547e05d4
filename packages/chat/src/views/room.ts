import { readJson } from '@parley/contracts/free-json'
import type { Invitation } from '@parley/contracts/resources/invitation'
import type { Room } from '@parley/contracts/resources/room'
import { defaultRoomPref, type RoomPref } from '@parley/contracts/resources/room-pref'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { InvitationDoc, MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import type { UserDoc } from '@parley/db/users/documents'
import type { Caller } from '../access/caller.ts'
import type { Quoted } from '../messages/reading/quoted-messages.ts'
import { withField } from './json-text.ts'
import { messageJson, toSenderView } from './message.ts'

/** The fields of a room that need no other document, as the integrator sees them. */
export function roomFields(doc: RoomDoc): Omit<Room, 'members'> {
  const { slowModeS, expiresInS, retentionDays } = doc
  return {
    _id: doc.id,
    id: doc.id,
    appID: doc.app,
    name: doc.name,
    cover: doc.cover,
    description: doc.description,
    roomType: doc.roomType,
    webhook: doc.webhook,
    botState: doc.botState,
    botMode: doc.botMode,
    encrypted: doc.encrypted,
    serviceStatus: doc.serviceStatus,
    roomTags: doc.roomTags,
    status: doc.status,
    createdTimeMS: doc.createdAtMS,
    memberCount: doc.memberCount,
    ...(doc.owner !== undefined && { owner: doc.owner }),
    managers: doc.managers,
    opening: doc.opening,
    extParams: readJson(doc.extParams),
    ...(slowModeS && { slowModeS }),
    ...(expiresInS && { expiresInS }),
    ...(retentionDays && { retentionDays }),
  }
}

/**
 * A room as every user sees it, for example in the `room` event: without `webhook` and `botState`, which are the
 * integrator's (docs/reference/rooms.md). `users` has the profiles of the shown members.
 */
export function toRoomView(doc: RoomDoc, users: ReadonlyMap<string, UserDoc>): Room {
  const members = doc.firstMembers.map((id) => toSenderView(id, users.get(id)))
  return { ...roomFields(doc), webhook: '', botState: '', members }
}

/** A room as seen by the caller; complete only for the integrator. */
export function toRoomViewFor(by: Caller, doc: RoomDoc, users: ReadonlyMap<string, UserDoc>): Room {
  const room = toRoomView(doc, users)
  return by.kind === 'integrator' ? { ...room, webhook: doc.webhook, botState: doc.botState } : room
}

/** A room as seen by one of its members, as JSON text with the unread count, preferences and latest message. */
export function roomJsonTo(
  { membership, unread }: { membership: Pick<MembershipDoc, 'pref' | 'notify'>; unread: number },
  doc: RoomDoc,
  users: ReadonlyMap<string, UserDoc>,
  { lastMessage, quoted }: { lastMessage: MessageDoc | undefined; quoted: Quoted },
): string {
  const pref = toPrefView(membership)
  const own = { unread, muted: pref.muted, pref, ...(membership.notify && { notifications: membership.notify }) }
  const room: Room = { ...toRoomView(doc, users), ...own }
  if (!lastMessage) return JSON.stringify(room)
  const sender = users.get(lastMessage.sender)
  return withField(room, 'lastMessage', messageJson(currentMessage(lastMessage, doc), sender, quoted))
}

export function toPrefView(membership: Pick<MembershipDoc, 'pref'>): RoomPref {
  const { tagColors, ...pref } = membership.pref ?? {}
  const colours = tagColors === undefined ? {} : (JSON.parse(tagColors) as RoomPref['tagColors'])
  return { ...defaultRoomPref, ...pref, tagColors: colours }
}

/** @param roomName name of the room, which the invitee may not be able to read yet */
export function toInvitationView(
  { id, inviter, invitee, room, createdAt, updatedAt }: InvitationDoc,
  roomName?: string,
): Invitation {
  return {
    _id: id,
    inviter,
    invitee,
    room,
    ...(roomName !== undefined && { roomName }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
