import { batched } from '@parley/async/batch'
import { type AppUser, key } from '@parley/db/keys'
import { findCreationTimes } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'

const usersAtOnce = 50

/** When a user was created, in Unix milliseconds; 0 if unknown. */
export type UserSince = (user: AppUser) => Promise<number>

/** Creates a lookup whose concurrent calls share one indexed query. */
export function createUserSince({ db }: Pick<Chat, 'db'>): UserSince {
  return batched(
    async (users: AppUser[]) => {
      const keys = users.map(({ app, user }) => key(app, user))
      const times = await findCreationTimes(db, keys)
      return keys.map((userKey) => times.get(userKey) ?? 0)
    },
    { max: usersAtOnce },
  )
}
