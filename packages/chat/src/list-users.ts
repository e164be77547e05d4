import type { Input, Result } from '@parley/contracts/operation'
import type { listUsers as operation } from '@parley/contracts/operations/clients'
import { findUserPage } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { showAdminUser } from './show-user.ts'
import { parseUserFilter } from './user-filter.ts'

/**
 * GET /admin/clients: the users that match the filter `q`, oldest first.
 * @throws ApiError INVALID_QUERY, RESULT_TOO_LARGE
 */
export async function listUsers(
  chat: Chat,
  app: string,
  query: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const filter = query.q === undefined ? {} : parseUserFilter(query.q)
  const { totalCount, users } = await findUserPage(chat.db, app, filter, query.skip, query.limit)
  return { totalCount, data: await Promise.all(users.map((user) => showAdminUser(chat.db, user))) }
}
