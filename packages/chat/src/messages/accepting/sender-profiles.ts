import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findUsers, type UserDoc } from '@parley/db/users/users'
import { LRUCache } from 'lru-cache'

/** A changed nickname shows in new messages after this long at the latest. */
const rememberMS = 2_000

/** The profiles that go into the events of messages; by key(app, user). */
export type SenderProfiles = (senders: readonly { app: string; sender: string }[]) => Promise<Map<string, UserDoc>>

/** A busy sender's profile is read once in two seconds, not once per batch. */
export function createSenderProfiles(db: Db): SenderProfiles {
  const known = new LRUCache<string, UserDoc>({ max: 10_000, ttl: rememberMS })
  return async (senders) => {
    const profiles = new Map<string, UserDoc>()
    const unknown = senders.filter(({ app, sender }) => {
      const name = key(app, sender)
      const profile = known.get(name)
      if (profile) profiles.set(name, profile)
      return !profile
    })
    const byApp = Map.groupBy(unknown, ({ app }) => app)
    const reads = [...byApp].map(([app, own]) =>
      findUsers(
        db,
        app,
        own.map(({ sender }) => sender),
      ),
    )
    for (const users of await Promise.all(reads)) {
      for (const user of users.values()) {
        known.set(user._id, user)
        profiles.set(user._id, user)
      }
    }
    return profiles
  }
}
