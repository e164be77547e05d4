import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import type { AppUser } from '@parley/db/keys'
import { recordActiveUsers } from '@parley/db/statistics/active-users'
import { type BucketLevel, bucketLevels, levels } from '@parley/db/statistics/buckets'

/** Records the connected users. */
export type RecordOnline = (users: readonly AppUser[]) => Promise<void>

/** Makes the function that writes each user once in each bucket, however often it is called. */
export function createRecordOnline(db: Db): RecordOnline {
  /** Users already written, in the current bucket of each level. */
  const written = new Map<BucketLevel, { beginMS: number; names: Set<string> }>()

  function namesIn(level: BucketLevel, atMS: number): Set<string> {
    const beginMS = atMS - (atMS % bucketLevels[level].sizeMS)
    const present = written.get(level)
    if (present?.beginMS === beginMS) return present.names
    const names = new Set<string>()
    written.set(level, { beginMS, names })
    return names
  }

  return async (users) => {
    const atMS = clock.now()
    for (const level of levels) {
      const names = namesIn(level, atMS)
      const fresh = users.filter((user) => !names.has(nameOf(user)))
      await recordActiveUsers(
        db,
        fresh.map(({ app, user }) => ({ app, user, atMS })),
        [level],
      )
      for (const user of fresh) names.add(nameOf(user))
    }
  }
}

const nameOf = ({ app, user }: AppUser) => `${app}\0${user}`
