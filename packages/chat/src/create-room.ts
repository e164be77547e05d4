import { publishEvent } from '@parley/bus/publish'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { createRoom as operation } from '@parley/contracts/operations/rooms'
import { maxMembersShown, type Room } from '@parley/contracts/resources/room'
import { key } from '@parley/db/keys'
import { insertMemberships } from '@parley/db/memberships'
import { newMessageId } from '@parley/db/messages'
import { findDirectRoom, findRoom, insertRoom, pairKey, type RoomDoc } from '@parley/db/rooms'
import { inTransaction } from '@parley/db/transaction'
import { findUsers, recordJoin, type UserDoc } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { controlMembers } from './control-users.ts'
import { showRoom } from './show-room.ts'
import { writeSystemMessage } from './system-message.ts'

type Request = Input<typeof operation>['body']

/**
 * Creates a room with its members, or answers the one that is there already: the direct room of the
 * pair, or the room of the given `_id` (decisions.md, "Rooms and members"). A group's ID among the
 * members stands for its members. The members' sockets are in the room when this settles.
 * @throws ApiError CLIENT_NOT_FOUND naming the unknown members, INVALID_REQUEST
 */
export async function createRoom(chat: Chat, app: string, request: Request): Promise<Room> {
  const { members, users } = await expandMembers(chat, app, request.members)
  if (request.roomType === 'direct' && members.length !== 2) {
    throw new ApiError('INVALID_REQUEST', `members: a direct room has exactly two members, got ${members.length}`)
  }
  if (request.owner !== undefined && !members.includes(request.owner)) {
    throw new ApiError('INVALID_REQUEST', 'owner: must be one of the members')
  }
  const wanted = toRoomDoc(app, request, members)
  const { room, created } = await inTransaction(chat.db, async (session) => {
    const existing = wanted.pair
      ? await findDirectRoom(chat.db, wanted.pair, session)
      : await findRoom(chat.db, app, wanted.id, session)
    if (existing) return { room: existing, created: false }
    await insertRoom(chat.db, wanted, session)
    await insertMemberships(chat.db, wanted, members, session)
    if (wanted.pair !== undefined) await recordJoin(chat.db, app, members, session)
    return { room: wanted, created: true }
  })
  const shown = showRoom(room, created ? users : await findUsers(chat.db, app, room.firstMembers))
  if (created) {
    if (room.pair === undefined) await recordJoin(chat.db, app, members)
    await controlMembers(chat, app, 'joined', room.id, members)
    await publishRoom(chat, shown)
    const [speaker] = members
    if (request.systemMessage === true && speaker !== undefined) {
      await writeSystemMessage(chat, room, 'joinRoom', request.owner ?? speaker, members)
    }
  }
  return shown
}

/** The users that `ids` mean, each once: a group stands for its members at this moment. */
export async function expandMembers(
  chat: Chat,
  app: string,
  ids: readonly string[],
  field = 'members',
): Promise<{ members: string[]; users: Map<string, UserDoc> }> {
  const named = await findUsers(chat.db, app, ids)
  const unknown = [...new Set(ids)].filter((id) => !named.has(id))
  if (unknown.length > 0) {
    throw new ApiError('CLIENT_NOT_FOUND', `${field}: no user ${unknown.map((id) => JSON.stringify(id)).join(', ')}`)
  }
  const members = [...new Set(ids.flatMap((id) => named.get(id)?.groupMembers ?? [id]))]
  const fromGroups = members.filter((id) => !named.has(id))
  const users = new Map([...named, ...(await findUsers(chat.db, app, fromGroups))])
  return { members: members.filter((id) => users.has(id)), users }
}

/** Tells all members what the room is now. A node that misses it learns it with the next change or list. */
export async function publishRoom(chat: Chat, room: Room): Promise<void> {
  const to = { app: room.appID, room: room._id }
  await publishEvent(chat.bus, { to, event: 'room', json: JSON.stringify(room), id: newMessageId() }).catch((error) => {
    chat.log.warn({ err: error, room: room._id }, 'room event not published')
  })
}

function toRoomDoc(app: string, request: Request, members: string[]): RoomDoc {
  const id = request._id ?? newMessageId()
  const now = Date.now()
  const [a = '', b = ''] = members
  return {
    _id: key(app, id),
    app,
    id,
    roomType: request.roomType,
    name: request.name ?? '',
    cover: request.cover ?? '',
    description: request.description ?? '',
    webhook: request.webhook ?? '',
    botState: request.botState ?? '',
    botMode: request.botMode ?? false,
    encrypted: request.encrypted ?? false,
    serviceStatus: request.serviceStatus ?? 0,
    roomTags: request.roomTags ?? [],
    extParams: request.extParams ?? {},
    status: 1,
    opening: 0,
    ...(request.owner !== undefined && { owner: request.owner }),
    managers: [],
    ...(request.roomType === 'direct' && { pair: pairKey(app, a, b) }),
    createdAtMS: now,
    seq: 0,
    clockMS: now,
    lastMessageAtMS: 0,
    memberCount: members.length,
    firstMembers: members.slice(0, maxMembersShown),
  }
}
