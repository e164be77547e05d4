import { ApiError } from '@parley/contracts/errors'
import type { User } from '@parley/contracts/resources/user'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { toUserView } from '../views/user.ts'

/** The caller's own profile. @throws ApiError CLIENT_NOT_FOUND when they were erased meanwhile */
export async function getMe(chat: Chat, { app, user }: UserCaller): Promise<User> {
  const found = await findUser(chat.db, app, user)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(user)}`)
  return toUserView(chat.db, found)
}
