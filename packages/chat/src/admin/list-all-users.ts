import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listAllUsers as operation } from '@parley/contracts/operations/admin/users'
import type { Db } from '@parley/db/db'
import { key } from '@parley/db/keys'
import type { UserDoc } from '@parley/db/users/documents'
import { usersNamed, usersWithId } from '@parley/db/users/named-users'
import { foldName } from '@parley/db/users/searched-names'
import { findLatestUsers, onlyUsers, timeInList } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { anyText, pageOf, parseCursor, toCursor } from '../page-cursor.ts'
import { parsePeriod } from '../read-time.ts'
import { toAdminUserViews } from '../views/user.ts'

type Query = Input<typeof operation>['query']

/**
 * GET /admin/users: a page of the app's users, or those whose ID or name starts with `q`.
 * @throws ApiError INVALID_QUERY, TOO_MANY_REQUESTS
 */
export async function listAllUsers(chat: Chat, app: string, query: Query): Promise<Result<typeof operation>> {
  const { q, list, since, until, limit, cursor } = query
  const { db, limits } = chat
  if (q !== undefined) {
    for (const [name, given] of Object.entries({ list, since, until, cursor })) {
      if (given !== undefined) throw new ApiError('INVALID_QUERY', `${name}: not with q`)
    }
    const found = await limits.queries({ app }, () => usersBeginning(db, app, q, limit))
    return { data: await toAdminUserViews(db, app, found) }
  }
  const of = list ?? 'created'
  const after = parseCursor(`users.${of}`, cursor, anyText)
  const page = {
    ...parsePeriod({ since, until }),
    before: after && { atMS: after.atMS, id: key(app, after.id) },
  }
  const oneMore = await limits.queries({ app }, () => findLatestUsers(db, app, of, { ...page, limit: limit + 1 }))
  const { shown, last } = pageOf(oneMore, limit)
  return {
    data: await toAdminUserViews(db, app, shown),
    ...(last && { cursor: toCursor(`users.${of}`, { atMS: timeInList(last, of), id: last.id }) }),
  }
}

/** Matches by ID first, then by name, each in order and without duplicates. */
async function usersBeginning(db: Db, app: string, q: string, limit: number): Promise<UserDoc[]> {
  const found = onlyUsers(await usersWithId(db, app, q, limit))
  const prefix = foldName(q)
  if (prefix === '' || found.size >= limit) return [...found.values()]
  for await (const part of usersNamed(db, app, prefix)) {
    for (const [id, user] of onlyUsers(part)) if (found.size < limit) found.set(id, user)
    if (found.size >= limit) break
  }
  return [...found.values()]
}
