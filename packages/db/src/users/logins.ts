import { clock } from '@parley/async/clock'
import type { Address } from '@parley/contracts/resources/user'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { UserDoc } from './documents.ts'

export interface Login {
  app: string
  user: string
  atMS: number
  address?: Address
  userAgent?: string
}

/** Records when and from where users last connected, in one round trip. Never overwrites a later login. */
export async function recordLogins(db: Db, logins: readonly Login[]): Promise<void> {
  await db.users.bulkWrite(
    logins.map(({ app, user, atMS, address, userAgent }) => ({
      updateOne: {
        filter: { _id: key(app, user), lastLoginTimeMS: { $lte: atMS } },
        update: { $set: { lastLoginTimeMS: atMS, ...(address && { address }), ...(userAgent && { userAgent }) } },
      },
    })),
    { ordered: false },
  )
}

/** Records when users' sockets closed, in one round trip. */
export async function recordLastSeen(
  db: Db,
  seen: readonly { app: string; user: string; atMS: number }[],
): Promise<void> {
  await db.users.bulkWrite(
    seen.map(({ app, user, atMS }) => ({
      updateOne: { filter: { _id: key(app, user) }, update: { $max: { lastSeenMS: atMS } } },
    })),
    { ordered: false },
  )
}

/** When users were last connected (Unix milliseconds); undefined if never. Unknown users are omitted. */
export async function findLastSeen(
  db: Db,
  app: string,
  ids: readonly string[],
): Promise<Map<string, number | undefined>> {
  const found = await db.users
    .find({ _id: { $in: ids.map((id) => key(app, id)) }, groupMembers: { $exists: false } })
    .project<Pick<UserDoc, 'id' | 'lastLoginTimeMS' | 'lastSeenMS'>>({ id: 1, lastLoginTimeMS: 1, lastSeenMS: 1 })
    .toArray()
  return new Map(
    found.map(({ id, lastLoginTimeMS, lastSeenMS = 0 }) => [id, Math.max(lastLoginTimeMS, lastSeenMS) || undefined]),
  )
}

/** Records that users, `key(app, id)`, joined a room now. Returns whether all exist. A crash can lose the time. */
export async function recordJoin(db: Db, users: readonly string[], session?: Session): Promise<boolean> {
  const ids = new Set(users)
  const { matchedCount } = await db.users.updateMany(
    { _id: { $in: [...ids] } },
    { $set: { lastJoinOrCreateRoomTime: clock.date() } },
    session ? { session } : { writeConcern: { w: 1, j: false } },
  )
  return matchedCount === ids.size
}
