import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listScheduled as operation } from '@parley/contracts/operations/messages/scheduled'
import { findScheduledPage } from '@parley/db/messages/scheduled'
import { type Caller, userOf } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { parseCursor, toCursor } from '../../page-cursor.ts'
import { toScheduledView } from '../../views/scheduled-message.ts'

/**
 * The messages that a user, or the integrator, is to send later, the next first (docs/reference/messages.md#send-later).
 * @throws ApiError INVALID_QUERY
 */
export async function listScheduled(
  { db }: Chat,
  by: Caller,
  { sender, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const own = userOf(by)
  if (own !== undefined && sender !== undefined && sender !== own) {
    throw new ApiError('INVALID_QUERY', 'sender: must be the caller')
  }
  const after = parseCursor(cursor)
  const found = await findScheduledPage(db, { app: by.app, sender: own ?? sender }, { after, limit })
  const last = found.length === limit ? found.at(-1) : undefined
  return { data: found.map(toScheduledView), ...(last && { cursor: toCursor({ atMS: last.sendAtMS, id: last.id }) }) }
}
