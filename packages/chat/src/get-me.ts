import { ApiError } from '@parley/contracts/errors'
import type { User } from '@parley/contracts/resources/user'
import { findUser } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { showUser } from './show-user.ts'

/** The caller himself. @throws ApiError CLIENT_NOT_FOUND when he was erased meanwhile */
export async function getMe(chat: Chat, { app, user }: UserCaller): Promise<User> {
  const found = await findUser(chat.db, app, user)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(user)}`)
  return showUser(chat.db, found)
}
