import type { Result } from '@parley/contracts/operation'
import type { listCommands as operation } from '@parley/contracts/operations/rooms/commands'
import type { TypedCommand } from '@parley/contracts/resources/command'
import type { Message } from '@parley/contracts/resources/message'
import type { Db } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findCommandRobots } from '@parley/db/users/bot-commands'
import type { Caller } from '../access/caller.ts'
import { findRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'
import { textOf } from '../messages/reading/message-text.ts'

/**
 * The commands of a room's bots by name (docs/reference/messages.md#commands).
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

const command = /^\/([\w-]{1,32})(?:\s+([\s\S]*))?$/

/**
 * The command at the start of a user's message, if a bot in the room has it (docs/reference/messages.md#commands). Only
 * messages that start with a slash cost a query.
 */
export async function typedCommand(db: Db, message: Partial<Message>): Promise<TypedCommand | undefined> {
  const { appID, room, sender } = message
  const [, typed, text = ''] = command.exec(textOf(message.message)) ?? []
  // Bots that reply with a slash would call each other endlessly.
  if (typed === undefined || appID === undefined || room === undefined || sender?.isRobot) return undefined
  const name = typed.toLowerCase()
  const robots = (await findCommandRobots(db, appID, room, name)).map(({ id }) => id).sort()
  return robots.length === 0 ? undefined : { name, text: text.trim(), robots }
}
