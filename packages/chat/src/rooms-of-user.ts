import { findRoomIdsOfUser } from '@parley/db/memberships'
import type { Chat } from './chat.ts'

/** The IDs of all rooms that a user is a member of: what his sockets listen to. One indexed query. */
export async function roomsOfUser(chat: Chat, { app, user }: { app: string; user: string }): Promise<string[]> {
  return findRoomIdsOfUser(chat.db, app, user)
}
