import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import { maxMembers } from '@parley/contracts/operations/rooms/members'
import type { createRoom as operation } from '@parley/contracts/operations/rooms/rooms'
import { maxMembersShown, type Room } from '@parley/contracts/resources/room'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { newRoomDoc } from '@parley/db/rooms/new-room'
import { findRoom } from '@parley/db/rooms/rooms'
import { findUsers } from '@parley/db/users/users'
import { asIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { publishRoom, publishWaiting } from '../events/change-and-notify.ts'
import { relayedWithinMS } from '../events/outbox.ts'
import { requireWebhook } from '../integrations/webhook-keys.ts'
import { sendSystemMessages } from '../messages/send-system-messages.ts'
import { systemMessage } from '../messages/system-message.ts'
import { toRoomViewFor } from '../views/room.ts'
import { type CreatedRoom, createRooms, type RoomToCreate } from './create-rooms.ts'
import { expandMembers } from './expand-members.ts'
import { recordJoinedMembers } from './record-joined-members.ts'
import { maskedRoom } from './room-texts.ts'

type Request = Input<typeof operation>['body']

/** A larger room is created on its own, so that a batch does not wait for it. */
const maxBatched = 100

/**
 * Creates a room with its members, or returns the existing one: the direct room of the pair, or the room with the given
 * `_id` (docs/reference/rooms.md#create). A user group stands for its members. The members' sockets are in the room
 * when this settles.
 * @throws ApiError CLIENT_NOT_FOUND naming the unknown members, ROOM_EXISTS, INVALID_REQUEST
 */
export async function createRoom(chat: Chat, app: string, request: Request): Promise<Room> {
  const texts = await maskedRoom(chat, app, request)
  await requireWebhook(chat.db, app, request.webhook)
  const { room, shown, messages } = await openRoom(chat, app, { ...request, ...texts })
  if (!shown) return toRoomViewFor(asIntegrator(app), room, await findUsers(chat.db, app, room.firstMembers))
  await sendSystemMessages(chat, messages)
  return shown
}

/**
 * The ID of the direct room of a sender and a receiver, which is created if missing. Errors name the receiver.
 * @param find returns a room that the caller has already read; throws if none may be created
 * @throws as createRoom, and as `find`
 */
export async function openDirectRoom(
  chat: Chat,
  app: string,
  members: [string, string],
  find: (pair: string) => Promise<RoomDoc | undefined>,
): Promise<string> {
  return (await openRoom(chat, app, { roomType: 'direct', members }, { find, field: 'receiver' })).room.id
}

interface OpenRoom {
  room: RoomDoc
  shown: Room | undefined
  messages: readonly ScheduledDoc[]
}

/** Creates a room and stores its events, or finds it. `shown` is set if this or a concurrent request created it. */
async function openRoom(
  chat: Chat,
  app: string,
  request: Request,
  { find, field = 'members' }: { find?: (pair: string) => Promise<RoomDoc | undefined>; field?: string } = {},
): Promise<OpenRoom> {
  const sameID =
    request.roomType === 'group' && request._id !== undefined && (await findRoom(chat.db, app, request._id))
  // Returned in its current state: a named member may have been erased since.
  if (sameID && sameID.roomType === 'group' && !sameID.deletedAt) return existing(chat, sameID)
  const { members, users } = await expandMembers(chat, app, request.members, field)
  requireFitting(request, members, field)
  const wantedRoom = toRoomDoc(app, request, members)
  const [sender = ''] = request.owner === undefined ? members : [request.owner]
  const joining = { messageType: 'joinRoom', sender, isForOther: true, members } as const
  const messages = request.systemMessage === true ? [systemMessage(wantedRoom, joining)] : []
  const known = wantedRoom.pair === undefined ? undefined : await find?.(wantedRoom.pair)
  if (known) return existing(chat, known)
  const audit = chat.audit?.handOver({
    subject: { kind: 'room', id: wantedRoom.id },
    after: {
      roomType: wantedRoom.roomType,
      name: wantedRoom.name,
      owner: wantedRoom.owner,
      memberCount: members.length,
    },
  })
  const wanted = { room: wantedRoom, members, isNamed: request._id !== undefined, messages, audit }
  const made = await (members.length > maxBatched ? makeLargeRoom(chat, wanted) : chat.createRoomInBatch(wanted))
  if ('refused' in made) throw made.refused
  const { room, entries, isCreated } = made
  if (!entries) return existing(chat, room)
  const [shown] = await Promise.all([
    publishRoom(chat, asIntegrator(app), { value: room, entries }, users),
    room.pair === undefined ? recordJoinedMembers(chat, room, members) : undefined,
  ])
  return { room, shown, messages: isCreated ? messages : [] }
}

/** A new room may still be without its sockets: the request that creates it has not settled. */
async function existing(chat: Chat, room: RoomDoc): Promise<OpenRoom> {
  if (clock.now() < room.createdAtMS + relayedWithinMS) await publishWaiting(chat, room)
  return { room, shown: undefined, messages: [] }
}

async function makeLargeRoom(chat: Chat, wanted: RoomToCreate): Promise<CreatedRoom | { refused: ApiError }> {
  const [made] = await createRooms(chat, [wanted])
  return made as CreatedRoom | { refused: ApiError }
}

function requireFitting({ roomType, owner }: Request, members: readonly string[], field: string): void {
  if (roomType === 'direct' && members.length !== 2) {
    throw new ApiError('INVALID_REQUEST', `${field}: a direct room has exactly two members, got ${members.length}`)
  }
  if (roomType === 'direct' && owner !== undefined) {
    throw new ApiError('INVALID_REQUEST', 'owner: a direct room has no owner')
  }
  if (members.length === 0 || members.length > maxMembers) {
    throw new ApiError('INVALID_REQUEST', `members: a group has 1 to ${maxMembers}, got ${members.length}`)
  }
  if (owner !== undefined && !members.includes(owner)) {
    throw new ApiError('INVALID_REQUEST', 'owner: must be one of the members')
  }
}

function toRoomDoc(app: string, { _id: id = newId(), ...request }: Request, members: string[]): RoomDoc {
  const now = clock.now()
  const pair = request.roomType === 'direct' ? members : undefined
  return {
    ...newRoomDoc(app, { ...request, id, pair, createdAtMS: now }),
    clockMS: now,
    joinedAtMS: now,
    memberCount: members.length,
    firstMembers: members.slice(0, maxMembersShown),
  }
}
