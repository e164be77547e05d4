import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listUsers as operation } from '@parley/contracts/operations/clients'
import { FilterTooSlow, findUserPage } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { showAdminUsers } from './show-user.ts'
import { parseUserFilter } from './user-filter.ts'

/** Longer no filter may keep the database busy. */
const maxTimeMS = 2_000
const maxAnswerBytes = 1024 * 1024

/**
 * GET /admin/clients: the users that match the filter `q`, oldest first.
 * @throws ApiError INVALID_QUERY, RESULT_TOO_LARGE
 */
export async function listUsers(
  chat: Chat,
  app: string,
  query: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { q, skip, limit } = query
  const filter = q === undefined ? {} : parseUserFilter(app, q)
  const { totalCount, users } = await findUserPage(chat.db, app, filter, { skip, limit, maxTimeMS }).catch((error) => {
    if (!(error instanceof FilterTooSlow)) throw error
    throw new ApiError('INVALID_QUERY', 'q: the filter takes too long; narrow it', { cause: error })
  })
  const data = await showAdminUsers(chat.db, app, users)
  if (Buffer.byteLength(JSON.stringify(data)) > maxAnswerBytes) {
    throw new ApiError('RESULT_TOO_LARGE', `the answer is over ${maxAnswerBytes} bytes: narrow q or lower limit`)
  }
  return { totalCount, data }
}
