import { gather } from '@parley/async/gather'
import { findRoomIdsOfUsers } from '@parley/db/rooms/rooms-of-users'
import type { Chat } from '../chat.ts'

/** Users in one query. Its result is handled without a pause, in which everything else waits. */
const usersAtOnce = 50

/** The IDs of all rooms of a user, to which their sockets listen. */
export type RoomsOfUser = (user: { app: string; user: string }) => Promise<string[]>

/** Concurrent calls share one indexed query. */
export function createRoomsOfUser({ db }: Pick<Chat, 'db'>): RoomsOfUser {
  return gather((users: { app: string; user: string }[]) => findRoomIdsOfUsers(db, users), { most: usersAtOnce })
}
