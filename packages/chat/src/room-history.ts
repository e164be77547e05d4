import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listMessages } from '@parley/contracts/operations/messages'
import { currentMessage, findMessage, historyPage, type PageStart, type TimeField } from '@parley/db/messages'
import { findUserDeletions } from '@parley/db/user-deletions'
import { findUsers } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'
import { showMessage } from './show-message.ts'
import { parseTime } from './time-parameter.ts'

type Query = Input<typeof listMessages>['query']

/**
 * A page of a room's history (interface.md, GET /rooms/{id}/messages/v3; the order in decisions.md,
 * "Messages"). Costs the same whatever the length of the history.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND, INVALID_QUERY
 */
export async function roomHistory(
  chat: Chat,
  caller: UserCaller,
  roomId: string,
  query: Query,
): Promise<Result<typeof listMessages>> {
  const startedMS = performance.now()
  const { room } = await requireMember(chat, caller, roomId)
  const field: TimeField = query.timeRangeField === 'updatedAt' ? 'updatedAtMS' : 'createdAtMS'
  const start = await pageStart(chat, room._id, query, field)
  const found = await historyPage(chat.db, room._id, start, field, query.limit).toArray()
  const page = found.map((message) => currentMessage(message, room))
  const [users, deleted] = await Promise.all([
    findUsers(
      chat.db,
      caller.app,
      page.map((message) => message.sender),
    ),
    findUserDeletions(chat.db, caller.app, caller.user, page),
  ])
  return {
    // Messages are never removed and seq has no holes.
    totalCount: room.seq,
    data: page.map((message) => showMessage(message, users.get(message.sender))),
    userDeletedIDs: [...deleted],
    inspect: { query: { room: roomId, ...query }, tookMS: Math.round(performance.now() - startedMS) },
  }
}

async function pageStart(chat: Chat, roomKey: string, query: Query, field: TimeField): Promise<PageStart> {
  const { beforeMessage, afterMessage, afterTime, cursorTime } = query
  if ([beforeMessage, afterMessage, afterTime].filter((cursor) => cursor !== undefined).length > 1) {
    throw new ApiError('INVALID_QUERY', 'give only one of beforeMessage, afterMessage and afterTime')
  }
  if (afterTime !== undefined) return { from: 'afterTime', timeMS: parseTime('afterTime', afterTime) }
  const id = beforeMessage ?? afterMessage
  if (id === undefined) return { from: 'end' }
  const message = await findMessage(chat.db, roomKey, id)
  if (!message) throw new ApiError('MESSAGE_NOT_FOUND', `no message ${JSON.stringify(id)} in the room`)
  const timeMS = cursorTime === undefined ? message[field] : parseTime('cursorTime', cursorTime)
  return { from: beforeMessage === undefined ? 'after' : 'before', timeMS, id }
}
