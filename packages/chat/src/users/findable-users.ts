import { ApiError } from '@parley/contracts/errors'
import { key } from '@parley/db/keys'
import { findUsersInRooms } from '@parley/db/rooms/rooms-of-users'
import { banInForce } from '@parley/db/users/app-bans'
import { findBlocks } from '@parley/db/users/blocks'
import type { UserDoc } from '@parley/db/users/documents'
import { findRoomsByUse } from '@parley/db/users/named-users'
import { findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'

/** The users that the caller may find: not themselves, not banned from the app, and without a block between them. */
export async function shownTo(
  { db }: Pick<Chat, 'db'>,
  { app, user }: UserCaller,
  found: readonly UserDoc[],
): Promise<UserDoc[]> {
  const others = found.filter((each) => each.id !== user && !banInForce(each))
  const keys = others.flatMap(({ id }) => [key(app, user, id), key(app, id, user)])
  const blocks = await findBlocks(db, keys)
  return others.filter(({ id }) => !blocks.has(key(app, user, id)) && !blocks.has(key(app, id, user)))
}

/**
 * The users that the app lets the caller start a chat with (docs/reference/users.md#find-users).
 * @throws ApiError DIRECTORY_OFF if the app has no directory, SERVICE_UNAVAILABLE if its server does not answer
 */
export async function findStartable(chat: Chat, caller: UserCaller, ids: readonly string[]): Promise<Set<string>> {
  const { db, directory } = chat
  const { app, user } = caller
  const hook = await directory.hookOf(app)
  if (!hook || hook.value === 'off') throw new ApiError('DIRECTORY_OFF', 'the app does not let its users start chats')
  const users = await shownTo(chat, caller, [...(await findUsers(db, app, ids)).values()])
  const shown = users.map(({ id }) => id)
  if (hook.value === 'all') return new Set(shown)
  if (hook.value === 'sharedRooms') {
    const rooms = await findRoomsByUse(db, app, user)
    const ids = rooms.map(({ id }) => id)
    return findUsersInRooms(db, app, shown, ids)
  }
  const question = { appID: app, clientID: user, event: 'CHAT_START' as const, members: shown }
  const allowed = await directory.ask(hook, hook.value.url, question)
  if (!allowed) throw new ApiError('SERVICE_UNAVAILABLE', 'the directory of the app did not answer; try again')
  return new Set(shown.filter((id) => allowed.includes(id)))
}
