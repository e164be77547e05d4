import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listUsers as operation } from '@parley/contracts/operations/users/users'
import { findUserPage } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { type FilterFields, filterTimeMS, parseQuery, refuseSlowFilter } from '../query-filter.ts'
import { toAdminUserViews } from '../views/user.ts'

const maxAnswerBytes = 1024 * 1024

export const userFields: FilterFields = {
  _id: { field: 'id', kind: 'text' },
  id: { field: 'id', kind: 'text' },
  nickname: { field: 'nickname', kind: 'text' },
  email: { field: 'email', kind: 'text' },
  description: { field: 'description', kind: 'text' },
  isRobot: { field: 'isRobot', kind: 'boolean' },
  lastLoginTimeMS: { field: 'lastLoginTimeMS', kind: 'milliseconds' },
  createdAt: { field: 'createdAt', kind: 'date' },
  updatedAt: { field: 'updatedAt', kind: 'date' },
}

/**
 * GET /admin/clients: the users that match the filter `q`, oldest first. Few such queries run at once per app.
 * @throws ApiError INVALID_QUERY, RESULT_TOO_LARGE, TOO_MANY_REQUESTS
 */
export async function listUsers(
  chat: Chat,
  app: string,
  query: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { q, skip, limit } = query
  const wanted = q === undefined ? { all: [] } : parseQuery(q, userFields)
  const page = { skip, limit, maxTimeMS: filterTimeMS }
  const { totalCount, users } = await chat.limits
    .queries({ app }, () => findUserPage(chat.db, app, wanted, page))
    .catch(refuseSlowFilter)
  const data = await toAdminUserViews(chat.db, app, users)
  if (Buffer.byteLength(JSON.stringify(data)) > maxAnswerBytes) {
    throw new ApiError('RESULT_TOO_LARGE', `the response is over ${maxAnswerBytes} bytes: narrow q or lower limit`)
  }
  return { totalCount, data }
}
