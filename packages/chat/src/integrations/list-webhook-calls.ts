import { clock } from '@parley/async/clock'
import type { Input, Result } from '@parley/contracts/operation'
import type { listWebhookCalls as operation } from '@parley/contracts/operations/integrations/webhooks'
import { findCalls } from '@parley/db/push/call-history'
import { keptDays } from '@parley/db/push/outgoing-calls'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { parseCursor, placeByCreation, toPage } from '../page-cursor.ts'
import { parseTime } from '../read-time.ts'
import { toListedDelivery } from '../views/webhook-delivery.ts'

const keptMS = keptDays * 24 * 60 * 60 * 1_000

/** The calls to an integrator's servers, latest first. @throws ApiError INVALID_QUERY */
export async function listWebhookCalls(
  { db }: Chat,
  caller: AuthenticatedIntegrator,
  { room, since, until, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { app } = caller
  const sinceMS = since === undefined ? clock.now() - keptMS : parseTime('since', since)
  const untilMS = until === undefined ? Number.MAX_SAFE_INTEGER : parseTime('until', until)
  const before = parseCursor(cursor, /./s)
  const oneMore = await findCalls(db, { app, room, sinceMS, untilMS }, { before, limit: limit + 1 })
  const placeOf = ({ createdAtMS, _id: id }: (typeof oneMore)[number]) => placeByCreation({ createdAtMS, id })
  return toPage(oneMore, limit, { view: toListedDelivery(caller), placeOf })
}
