import type { Result } from '@parley/contracts/operation'
import type { listCommands as operation } from '@parley/contracts/operations/rooms/commands'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findCommandRobots } from '@parley/db/users/commands'
import type { Caller } from '../access/caller.ts'
import { findRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'

/**
 * The commands of a room's robots, by name (docs/reference/messages.md#commands).
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function listCommands(chat: Chat, by: Caller, roomId: string): Promise<Result<typeof operation>> {
  await inTransaction(chat.db, (session) => findRole(chat, by, roomId, session))
  const robots = await findCommandRobots(chat.db, by.app, roomId)
  return robots
    .flatMap(({ id, commands }) => commands.map(({ name, description }) => ({ name, description, robot: id })))
    .sort((a, b) => (a.name === b.name ? compare(a.robot, b.robot) : compare(a.name, b.name)))
}

const compare = (a: string, b: string) => (a < b ? -1 : 1)
