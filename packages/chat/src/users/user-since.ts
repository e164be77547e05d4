import { batched } from '@parley/async/batch'
import { key } from '@parley/db/keys'
import { findCreationTimes } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'

/** Users per query. */
const usersAtOnce = 50

/** When a user was created, in Unix milliseconds; 0 if unknown. */
export type UserSince = (user: { app: string; user: string }) => Promise<number>

/** Creates a lookup whose concurrent calls share one indexed query. */
export function createUserSince({ db }: Pick<Chat, 'db'>): UserSince {
  return batched(
    async (users: { app: string; user: string }[]) => {
      const keys = users.map(({ app, user }) => key(app, user))
      const times = await findCreationTimes(db, keys)
      return keys.map((userKey) => times.get(userKey) ?? 0)
    },
    { most: usersAtOnce },
  )
}
