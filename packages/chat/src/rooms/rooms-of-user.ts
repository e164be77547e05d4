import { batched } from '@parley/async/batch'
import { findRoomsOfUsers } from '@parley/db/rooms/rooms-of-users'
import type { Chat } from '../chat.ts'

/** Users per query. Its result is handled in one turn, which blocks the event loop. */
const usersAtOnce = 50

export type RoomOfUser = Awaited<ReturnType<typeof findRoomsOfUsers>>[number][number]

export type RoomsOfUser = (user: { app: string; user: string }) => Promise<RoomOfUser[]>

/** Creates a lookup whose concurrent calls share one indexed query. */
export function createRoomsOfUser({ db }: Pick<Chat, 'db'>): RoomsOfUser {
  return batched((users: { app: string; user: string }[]) => findRoomsOfUsers(db, users), { max: usersAtOnce })
}
