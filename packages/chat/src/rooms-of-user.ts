import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import { findRoomIdsOfUsers } from '@parley/db/memberships'

/** Users in one query: what comes back is worked on without a pause, and so long others wait. */
const usersAtOnce = 25

/** The IDs of all rooms that a user is a member of: what his sockets listen to. */
export type RoomsOfUser = (user: { app: string; user: string }) => Promise<string[]>

/** Users who are asked for at the same time share one indexed query. */
export function createRoomsOfUser(db: Db): RoomsOfUser {
  return gather((users: { app: string; user: string }[]) => findRoomIdsOfUsers(db, users), { most: usersAtOnce })
}
