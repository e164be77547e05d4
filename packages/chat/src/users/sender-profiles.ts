import { batched } from '@parley/async/batch'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsersByKey } from '@parley/db/users/users'
import { type CacheParts, createLeasedCache } from '../leased-cache.ts'

const maxProfiles = 10_000
const maxPerRead = 1_000
const readsAtOnce = 4

/** Profiles for message events, by key(app, user). */
export type SenderProfiles = (senders: readonly { app: string; sender: string }[]) => Promise<Map<string, UserDoc>>

/** Reads and caches the profiles of senders. Only `lastLoginTimeMS` may be out of date. */
export function createSenderProfiles({ db, log, cacheLease }: CacheParts & { db: Db }): SenderProfiles {
  const cache = createLeasedCache<UserDoc | null>(cacheLease, maxProfiles, (error) =>
    log.warn({ err: error }, 'profile not read again'),
  )
  cacheLease?.onStale((app, command) => {
    if (command.do === 'appDeleted') cache.forgetAll()
    if (command.do === 'profileChanged') cache.forget(key(app, command.user))
  })
  const read = batched(
    async (keys: string[]) => {
      const users = await findUsersByKey(db, keys)
      return keys.map((user) => users.get(user) ?? null)
    },
    { max: maxPerRead, concurrency: readsAtOnce },
  )
  return async (senders) => {
    const keys = new Set(senders.map(({ app, sender }) => key(app, sender)))
    const users = await Promise.all([...keys].map((user) => cache.get(user, () => read(user))))
    return new Map(users.flatMap((user) => (user ? [[user._id, user]] : [])))
  }
}
