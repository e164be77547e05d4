import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import { bannedFromApp, unknownUser } from '../users/user-errors.ts'

/**
 * Requires the sender to be a bot, since only bots may stream. @throws ApiError CLIENT_NOT_FOUND,
 * INSUFFICIENT_PERMISSIONS, USER_BANNED
 */
export async function requireRobot(db: Db, app: string, sender: string): Promise<void> {
  const found = await findUser(db, app, sender)
  if (!found) throw unknownUser('sender', sender)
  if (!found.isRobot) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'sender: only users with isRobot may stream')
  if (banInForce(found)) throw bannedFromApp(sender)
}
