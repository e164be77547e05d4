import { z } from 'zod'
import { userId } from '../ids.ts'
import { ours } from '../ours.ts'

/** Maximum number of commands of a robot. */
const maxCommands = 100

export const commandName = z.string().regex(/^[a-z0-9_-]{1,32}$/, 'expected 1 to 32 of a-z, 0-9, _ and -')

/** A command that a robot understands: `/name` at the beginning of a message. */
export const robotCommand = z.object({
  name: commandName.meta(ours),
  description: z.string().max(256).default('').meta(ours),
})
export type RobotCommand = z.infer<typeof robotCommand>

export const robotCommands = z
  .array(robotCommand)
  .max(maxCommands)
  .refine((commands) => new Set(commands.map(({ name }) => name)).size === commands.length, 'expected each name once')
  .describe('`/name` commands of a user with isRobot')

/** A command to robots of the room, in the call to its webhook. */
export const typedCommand = z.object({
  name: z.string(),
  text: z.string().describe('Text after the name'),
  robots: z.array(userId).describe('Robots of the room with this command'),
})
export type TypedCommand = z.infer<typeof typedCommand>
