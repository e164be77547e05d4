import type { RobotCommand } from '@parley/contracts/resources/command'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { unblocked } from '../rooms/blocked-members.ts'
import type { UserDoc } from './documents.ts'

interface CommandRobot {
  id: string
  commands: RobotCommand[]
}

/** Maximum number of an app's robots to examine. */
const maxRobots = 1_000

/** A room's robots with commands, or with `name`, without banned ones. Searches the app's robots. */
export async function findCommandRobots(db: Db, app: string, room: string, name?: string): Promise<CommandRobot[]> {
  const robots = await db.users
    .find({ app, 'commands.name': name ?? { $exists: true }, isRobot: true })
    .limit(maxRobots)
    .project<Pick<UserDoc, 'id' | 'commands'>>({ _id: 0, id: 1, commands: 1 })
    .toArray()
  if (robots.length === 0) return []
  const memberships = { _id: { $in: robots.map(({ id }) => key(app, room, id)) }, ...unblocked() }
  const members = await db.memberships.find(memberships, { projection: { _id: 0, user: 1 } }).toArray()
  const isMember = new Set(members.map(({ user }) => user))
  return robots.filter(({ id }) => isMember.has(id)).map(({ id, commands = [] }) => ({ id, commands }))
}
