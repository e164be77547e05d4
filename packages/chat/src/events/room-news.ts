import { inParts } from '@parley/async/in-parts'
import { type ControlOrder, maxUsersPerOrder } from '@parley/contracts/bus/control'
import { type MembersChange, maxMembersPerChange } from '@parley/contracts/bus/push-orders'
import { newId } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/rooms'
import type { PendingEvents } from './change-and-notify.ts'
import { notifyFeed } from './notify-feed.ts'

type Room = Pick<RoomDoc, 'app' | 'id'>

/** Adds the `room` event for the members, with the Room as it is at publishing. @param about `by`: the user who changed it */
export function roomChanged(
  pending: PendingEvents,
  { app, id }: Room,
  about: { webhook?: false; request?: string | undefined; by?: string | undefined } = {},
): void {
  const { webhook, request, by } = about
  pending.push({
    ...{ kind: 'room', id: newId(), app, room: id },
    ...(webhook === false && { webhook }),
    ...(request !== undefined && { request }),
    ...(by !== undefined && { by }),
  })
}

/**
 * Adds the events of joins and departures: first the order to all realtime nodes to move the sockets, then `room` for
 * the members, then the event of the room's webhook.
 */
export function membersChanged(
  pending: PendingEvents,
  room: Room,
  change: Pick<MembersChange, 'event' | 'members'> & { sender: string | undefined },
): void {
  const { event, members, sender } = change
  socketsMoved(pending, room, event === 'DELETE_MEMBERS' ? 'left' : 'joined', members)
  roomChanged(pending, room, { by: sender })
  for (const part of inParts(members, maxMembersPerChange)) {
    const id = newId()
    const order: MembersChange = { id, event, room: room.id, members: part, ...(sender !== undefined && { sender }) }
    pending.push({ kind: 'membersChange', id, app: room.app, json: JSON.stringify(order) })
  }
}

/** Adds the events of a new room's members for the integrator's feed: webhooks have the room alone. */
export function membersMade(pending: PendingEvents, { app, id: room }: Room, made: readonly string[]): void {
  for (const members of inParts(made, maxMembersPerChange)) {
    notifyFeed(pending, { app, room }, 'members', { event: 'ADD_MEMBERS', room, members })
  }
}

/** Adds the order to move the sockets of users in or out of a room, on all realtime nodes. */
export function socketsMoved(
  pending: PendingEvents,
  { app, id: room }: Room,
  change: 'joined' | 'left',
  users: readonly string[],
): void {
  for (const part of inParts(users, maxUsersPerOrder)) {
    const id = newId()
    const order: ControlOrder = { do: change, id, room, users: part }
    pending.push({ kind: 'order', id, app, json: JSON.stringify(order) })
  }
}
