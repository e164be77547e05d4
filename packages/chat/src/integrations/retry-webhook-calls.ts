import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import {
  mostRetriedCalls,
  type retryWebhookCalls as operation,
} from '@parley/contracts/operations/integrations/webhooks'
import { requeueCall, requeueCalls } from '@parley/db/push/call-history'
import type { Session } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { parseTime } from '../read-time.ts'

/** Retries a completed or failed call. The push service makes it within a second. @throws ApiError WEBHOOK_NOT_FOUND */
export async function retryWebhookCall(chat: Chat, app: string, id: string): Promise<{ id: string }> {
  const also = async (session: Session) => chat.audit?.write(chat.db, session)
  if (await requeueCall(chat.db, app, id, ['done', 'failed'], also)) return { id }
  throw new ApiError('WEBHOOK_NOT_FOUND', `no call ${JSON.stringify(id)} that has completed or failed for good`)
}

/** Retries all calls queued in a period, up to the limit of one request. @throws ApiError INVALID_QUERY */
export async function retryWebhookCalls(
  { db, audit }: Chat,
  app: string,
  { room, since, until, state }: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  const sinceMS = parseTime('since', `${since}`)
  // Retried calls count as queued later than this.
  const untilMS = Math.min(
    until === undefined ? Number.POSITIVE_INFINITY : parseTime('until', `${until}`),
    clock.now() - 1,
  )
  const states = state === undefined ? (['done', 'failed'] as const) : [state]
  const range = { app, room, sinceMS, untilMS }
  const { count, hasMore } = await requeueCalls(db, range, states, mostRetriedCalls, async (session, requeued) => {
    audit?.note({ after: { room, count: requeued } })
    await audit?.write(db, session)
  })
  return { count, complete: !hasMore, until: untilMS }
}
