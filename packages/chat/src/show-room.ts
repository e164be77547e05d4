import type { Room } from '@parley/contracts/resources/room'
import { defaultRoomPref, type RoomPref } from '@parley/contracts/resources/room-pref'
import { type MembershipDoc, unreadOf } from '@parley/db/memberships'
import { currentMessage, type MessageDoc } from '@parley/db/messages'
import type { RoomDoc } from '@parley/db/rooms'
import type { UserDoc } from '@parley/db/users'
import { showMessage, showSender } from './show-message.ts'

/** A room as everybody sees it, e.g. in the `room` event; `users` has the members shown. */
export function showRoom(doc: RoomDoc, users: ReadonlyMap<string, UserDoc>): Room {
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
    members: doc.firstMembers.map((id) => showSender(id, users.get(id))),
    createdTimeMS: doc.createdAtMS,
    memberCount: doc.memberCount,
    ...(doc.owner !== undefined && { owner: doc.owner }),
    managers: doc.managers,
    opening: doc.opening,
    extParams: doc.extParams,
  }
}

/** A room as one of its members sees it: with his unread count and preferences, and the latest message. */
export function showRoomTo(
  membership: MembershipDoc,
  doc: RoomDoc,
  users: ReadonlyMap<string, UserDoc>,
  lastMessage: MessageDoc | undefined,
): Room {
  const pref = showPref(membership)
  return {
    ...showRoom(doc, users),
    unread: unreadOf(membership, doc),
    muted: pref.muted,
    pref,
    ...(lastMessage && { lastMessage: showMessage(currentMessage(lastMessage, doc), users.get(lastMessage.sender)) }),
  }
}

export function showPref(membership: MembershipDoc): RoomPref {
  const { tagColors, ...pref } = membership.pref ?? {}
  const colours = tagColors === undefined ? {} : (JSON.parse(tagColors) as RoomPref['tagColors'])
  return { ...defaultRoomPref, ...pref, tagColors: colours }
}
