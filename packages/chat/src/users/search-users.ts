import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { searchUsers as operation } from '@parley/contracts/operations/users/directory'
import type { UserDoc } from '@parley/db/users/documents'
import { findRoomsByUse, membersNamed, usersNamed } from '@parley/db/users/named-users'
import { foldName } from '@parley/db/users/searched-names'
import { findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { toSenderView } from '../views/message.ts'
import { shownTo } from './findable-users.ts'

type Query = Input<typeof operation>['query']

/**
 * GET /users/search: users whose name, or a word of it, begins with `q`, among those that the app lets the caller find,
 * or among the members of `room` (docs/reference/users.md#find-users).
 * @throws ApiError DIRECTORY_OFF, ROOM_NOT_FOUND, NOT_ROOM_MEMBER, SERVICE_UNAVAILABLE if the app's server does not
 * answer, TOO_MANY_REQUESTS
 */
export async function searchUsers(chat: Chat, caller: UserCaller, query: Query): Promise<Result<typeof operation>> {
  const parts = await candidates(chat, caller, query)
  const found = new Map<string, UserDoc>()
  await chat.limits.searches(caller, async () => {
    for await (const part of parts) {
      for (const user of await shownTo(chat, caller, part)) if (found.size < query.limit) found.set(user.id, user)
      if (found.size >= query.limit) return
    }
  })
  return { data: [...found.values()].map((user) => toSenderView(user.id, user)) }
}

async function candidates(
  chat: Chat,
  caller: UserCaller,
  { q, room: roomId, limit }: Query,
): Promise<AsyncIterable<UserDoc[]> | UserDoc[][]> {
  const { db } = chat
  const { app, user } = caller
  const prefix = foldName(q)
  if (roomId !== undefined) {
    const { room } = await requireMember(chat, caller, roomId)
    return prefix === '' ? [] : membersNamed(db, app, [room], prefix)
  }
  const hook = await chat.directory.hookOf(app)
  const among = hook?.value ?? 'sharedRooms'
  if (among === 'off') throw new ApiError('DIRECTORY_OFF', 'the app does not let its users find others by name')
  if (hook && typeof among === 'object') {
    const question = { appID: app, clientID: user, event: 'USER_SEARCH' as const, q, limit }
    const ids = await chat.directory.ask(hook, among.url, question)
    if (!ids) throw new ApiError('SERVICE_UNAVAILABLE', 'the directory of the app did not answer; try again')
    const users = await findUsers(db, app, ids)
    return [ids.flatMap((id) => users.get(id) ?? [])]
  }
  if (prefix === '') return []
  return among === 'all'
    ? usersNamed(db, app, prefix)
    : membersNamed(db, app, await findRoomsByUse(db, app, user), prefix)
}
