import { inParts } from '@parley/async/in-parts'
import { maxUsersPerCommand, type NodeCommand } from '@parley/contracts/bus/control'
import { type MembersChange, maxMembersPerChange } from '@parley/contracts/bus/push-work'
import type { Audience } from '@parley/contracts/bus/subjects'
import { defined } from '@parley/contracts/defined'
import { allMessages } from '@parley/contracts/operations/messages/deletions'
import type { FeedOnlyEvent, FeedPayload } from '@parley/contracts/resources/feed-event'
import type { EventPayload, UserEvent } from '@parley/contracts/socket/server-events'
import type { OutboxEvent } from '@parley/db/events/documents'
import { newId } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import type { UserDoc } from '@parley/db/users/documents'
import { toAdminUser } from '../views/user.ts'

export type PendingEvents = OutboxEvent[]

/** Adds an event for a user's devices, except the calling one. */
export function notifyUser<E extends UserEvent>(
  pending: PendingEvents,
  { app, user }: { app: string; user: string },
  event: E,
  payload: EventPayload<E>,
  exceptDevice?: string,
): void {
  const except = exceptDevice !== undefined && { exceptDevice }
  const json = JSON.stringify(payload)
  pending.push({ kind: 'event', id: newId(), to: { app, user }, event, json, ...except })
}

export function notifyLastRead(
  pending: PendingEvents,
  to: { app: string; room: string },
  payload: EventPayload<'lastRead'>,
): void {
  pending.push({ kind: 'event', id: newId(), to, event: 'lastRead', json: JSON.stringify(payload) })
}

export function notifyFeed<E extends FeedOnlyEvent>(
  pending: PendingEvents,
  to: Audience,
  event: E,
  payload: FeedPayload<E>,
): void {
  pending.push({ kind: 'feed', id: newId(), to, event, json: JSON.stringify(payload) })
}

/** The event of a changed or deleted message. @param by the acting user */
export function messageChanged(
  message: string,
  event: 'messageUpdated' | 'messageDeleted',
  changedAtMS: number,
  by?: string,
): OutboxEvent {
  return { kind: 'message', message, event, changedAtMS, ...(by !== undefined && { by }) }
}

type Room = Pick<RoomDoc, 'app' | 'id' | 'clockMS'>

/** Adds the `room` event for the members, with the Room as it is at publishing. @param about `by`: the acting user */
export function roomChanged(
  pending: PendingEvents,
  { app, id }: Room,
  about: { webhook?: false; request?: string | undefined; by?: string | undefined } = {},
): void {
  const { webhook, request, by } = about
  pending.push({
    ...{ kind: 'room', id: newId(), app, room: id },
    ...(webhook === false && { webhook }),
    ...defined({ request, by }),
  })
}

/**
 * Adds the events of joins and departures: the node command that moves the sockets, then `room` for the members, then
 * the event for the room's webhook. In a deleted room, which an erased user leaves too, only the sockets move.
 */
export function membersChanged(
  pending: PendingEvents,
  room: Room & Pick<RoomDoc, 'deletedAt'>,
  change: Pick<MembersChange, 'event' | 'members'> & { sender: string | undefined },
): void {
  const { event, members, sender } = change
  socketsMoved(pending, room, event === 'DELETE_MEMBERS' ? 'left' : 'joined', members)
  if (room.deletedAt) return
  roomChanged(pending, room, { by: sender })
  for (const part of inParts(members, maxMembersPerChange)) {
    const id = newId()
    const membersChange: MembersChange = {
      id,
      event,
      room: room.id,
      members: part,
      ...(sender !== undefined && { sender }),
    }
    pending.push({ kind: 'membersChange', id, app: room.app, json: JSON.stringify(membersChange) })
  }
}

/** Adds the `members` events of a new room to the integrator's feed. Webhooks get only the room. */
export function membersMade(pending: PendingEvents, { app, id: room }: Room, made: readonly string[]): void {
  for (const members of inParts(made, maxMembersPerChange)) {
    notifyFeed(pending, { app, room }, 'members', { event: 'ADD_MEMBERS', room, members })
  }
}

/** Adds the node command that moves users' sockets into or out of a room, as it was read before the change. */
export function socketsMoved(
  pending: PendingEvents,
  { app, id: room, clockMS: afterMS }: Room,
  change: 'joined' | 'left',
  users: readonly string[],
): void {
  for (const part of inParts(users, maxUsersPerCommand)) {
    addCommand(
      pending,
      app,
      change === 'left' ? { do: change, room, users: part } : { do: change, room, users: part, afterMS },
    )
  }
}

/** Adds the node command that disconnects the sockets of these tokens, or moves them to another token. */
export function tokensRevoked(
  pending: PendingEvents,
  { app, user }: { app: string; user: string },
  tokens: readonly string[],
  more: Pick<Extract<NodeCommand, { do: 'revoked' }>, 'because' | 'renewedBy'> = {},
): void {
  if (tokens.length === 0) return
  addCommand(pending, app, { do: 'revoked', user, tokens: [...tokens], ...more })
}

export function addCommand(pending: PendingEvents, app: string, command: NodeCommand): void {
  const id = newId()
  pending.push({ kind: 'command', id, app, json: JSON.stringify({ ...command, id }) })
}

export function allDeleted(
  { app, id }: Pick<RoomDoc, 'app' | 'id'>,
  deletion: string,
  upTo: Pick<EventPayload<'messageDeleted'>, 'upToSeq' | 'upToMS'>,
  by?: string,
): OutboxEvent {
  const payload: EventPayload<'messageDeleted'> = { room: id, messageID: allMessages, ...upTo }
  const event = { kind: 'event', id: deletion, to: { app, room: id }, event: 'messageDeleted' } as const
  const { upToSeq } = upTo
  const last = upToSeq !== undefined && { upToSeq }
  return { ...event, json: JSON.stringify(payload), ...last, ...(by !== undefined && { by }) }
}

/** Adds the event of a new or changed profile for the integrator's feed. */
export function profileChanged(pending: PendingEvents, user: UserDoc): void {
  const { mute: _mute, ...profile } = toAdminUser(user, [])
  notifyFeed(pending, { app: user.app, user: user.id }, 'user', profile)
}

/** Like profileChanged, for a profile that is saved. @param isKnown whether the user existed, so that it may be cached */
export function profileSaved(pending: PendingEvents, user: UserDoc, isKnown: boolean): void {
  if (isKnown) addCommand(pending, user.app, { do: 'profileChanged', user: user.id })
  profileChanged(pending, user)
}
