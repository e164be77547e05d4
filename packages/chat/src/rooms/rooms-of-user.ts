import { batched } from '@parley/async/batch'
import { findRoomsOfUsers } from '@parley/db/rooms/rooms-of-users'
import type { Chat } from '../chat.ts'

/** Users in one query. Its result is handled in one turn of the event loop, which blocks everything else. */
const usersAtOnce = 50

/** A room that a user is in: its ID, and when they joined. */
export type RoomOfUser = Awaited<ReturnType<typeof findRoomsOfUsers>>[number][number]

/** All rooms of a user, to which their sockets listen. */
export type RoomsOfUser = (user: { app: string; user: string }) => Promise<RoomOfUser[]>

/** Concurrent calls share one indexed query. */
export function createRoomsOfUser({ db }: Pick<Chat, 'db'>): RoomsOfUser {
  return batched((users: { app: string; user: string }[]) => findRoomsOfUsers(db, users), { most: usersAtOnce })
}
