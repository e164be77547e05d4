import type { TypedCommand } from '@parley/contracts/resources/command'
import type { Message } from '@parley/contracts/resources/message'
import type { Db } from '@parley/db/connect'
import { findCommandRobots } from '@parley/db/users/commands'
import { textOf } from '../messages/reading/message-text.ts'

const command = /^\/([\w-]{1,32})(?:\s+([\s\S]*))?$/

/**
 * The command that a message of a user begins with, if robots of its room have it (docs/reference/messages.md#commands). Only
 * messages that begin with a slash cost a query.
 */
export async function typedCommand(db: Db, message: Partial<Message>): Promise<TypedCommand | undefined> {
  const { appID, room, sender } = message
  const [, typed, text = ''] = command.exec(textOf(message.message)) ?? []
  // Robots replying with a slash would call each other endlessly.
  if (typed === undefined || appID === undefined || room === undefined || sender?.isRobot) return undefined
  const name = typed.toLowerCase()
  const robots = (await findCommandRobots(db, appID, room, name)).map(({ id }) => id).sort()
  return robots.length === 0 ? undefined : { name, text: text.trim(), robots }
}
