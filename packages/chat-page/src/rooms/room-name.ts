import type { RoomInfo } from '@parley/client'
import { isolated, shownName } from '../app/shown-name.ts'
import { nameOf } from '../state/people.ts'

/** The room's name, or its members' names, except the user's. */
export function roomName({ name, members, _id, memberCount }: RoomInfo, me: string | undefined): string {
  const shown = shownName(name)
  if (shown !== '') return shown
  const others = members.filter((member) => member._id !== me).map(nameOf)
  if (others.length === 0) return members[0] ? nameOf(members[0]) : shownName(_id)
  const [only = ''] = others
  const named = others.length === 1 ? only : others.slice(0, 4).map(isolated).join(', ')
  return memberCount > 5 ? `${named} +${memberCount - 5}` : named
}

/** The other member of a direct room. */
export function otherOf({ roomType, members }: RoomInfo, me: string | undefined): string | undefined {
  return roomType === 'direct' ? members.find((member) => member._id !== me)?._id : undefined
}

/** The ID that determines a room's colour: the other member's for a direct room, otherwise the room's. */
export const colourID = (room: RoomInfo, me: string | undefined): string => otherOf(room, me) ?? room._id

/** The room's picture; a direct room without one uses the other member's. */
export function roomPicture({ cover, roomType, members }: RoomInfo, me: string | undefined): string {
  if (cover !== '' || roomType !== 'direct') return cover
  return members.find((member) => member._id !== me)?.avatarUrl ?? ''
}
