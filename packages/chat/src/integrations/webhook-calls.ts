import { clock } from '@parley/async/clock'
import { readInParts } from '@parley/async/in-parts'
import { ApiError } from '@parley/contracts/errors'
import { readJson } from '@parley/contracts/free-json'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/integrations/webhooks'
import { maxRetriedCalls } from '@parley/contracts/operations/integrations/webhooks'
import type { FailedWebhook } from '@parley/contracts/resources/webhook'
import type { Session } from '@parley/db/connect'
import { findCalls, findWholeCall, requeueCall, requeueCalls } from '@parley/db/push/call-history'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { findFailedCalls, keptDays } from '@parley/db/push/outgoing-calls'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { anyText, parseCursor, positionByCreation, toPage } from '../page-cursor.ts'
import { parsePeriod } from '../read-time.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { callFields, toDeliveryView, toListedDelivery } from '../views/webhook-delivery.ts'
import { currentCallData, currentCallsData, waitedCallData } from './call-data.ts'

const keptMS = keptDays * 24 * 60 * 60 * 1_000

/** The calls to an integrator's servers, latest first. @throws ApiError INVALID_QUERY */
export async function listWebhookCalls(
  { db }: Chat,
  caller: AuthenticatedIntegrator,
  { room, since, until, limit, cursor }: Input<typeof operations.listWebhookCalls>['query'],
): Promise<Result<typeof operations.listWebhookCalls>> {
  const { app } = caller
  const { sinceMS, untilMS } = parsePeriod({ since, until }, { firstMS: clock.now() - keptMS })
  const before = parseCursor('calls', cursor, anyText)
  const rooms = room === undefined ? 'all' : [room]
  const oneMore = await findCalls(db, app, rooms, { sinceMS, untilMS, before, limit: limit + 1 })
  const positionOf = ({ createdAtMS, _id: id }: (typeof oneMore)[number]) => positionByCreation({ createdAtMS, id })
  return toPage('calls', oneMore, limit, { view: toListedDelivery(caller), positionOf })
}

/** GET /admin/webhooks/calls/{id}: a call with the data that a retry would send. @throws ApiError WEBHOOK_NOT_FOUND */
export async function readWebhookCall(
  { db }: Chat,
  app: string,
  id: string,
): Promise<Result<typeof operations.readWebhookCall>> {
  const call = await findWholeCall(db, app, id)
  if (!call) throw new ApiError('WEBHOOK_NOT_FOUND', `no call ${JSON.stringify(id)}`)
  const isOver = call.state !== 'waiting' || call.isRequeued
  const data = await (isOver ? currentCallData(db, call) : waitedCallData(db, call))
  return { call: toDeliveryView(call), data: readJson(data) }
}

const callsPerBatch = 25

/** The integrator's webhook calls that failed for good (dead letters), latest first. */
export async function listFailedWebhooks(
  chat: Chat,
  app: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<JsonText> {
  const { totalCount, calls } = await findFailedCalls(chat.db, app, skip, limit)
  async function* parts(): AsyncGenerator<string[]> {
    for await (const part of readInParts(calls, callsPerBatch)) {
      const data = await currentCallsData(chat.db, app, part)
      yield part.map((call, i) => withField(toFailedWebhook(call), 'data', data[i] ?? 'null'))
    }
  }
  return JsonText.page(totalCount, parts())
}

function toFailedWebhook(call: OutgoingCallDoc): Omit<FailedWebhook, 'data'> {
  return {
    ...callFields(call),
    lastError: call.lastError ?? '',
    failedAt: (call.failedAt ?? new Date(0)).toISOString(),
  }
}

/** Retries a completed or failed call. The push service makes it within a second. @throws ApiError WEBHOOK_NOT_FOUND */
export async function retryWebhookCall(chat: Chat, app: string, id: string): Promise<{ id: string }> {
  const also = async (session: Session) => chat.audit?.write(chat.db, session)
  if (await requeueCall(chat.db, app, id, ['done', 'failed'], also)) return { id }
  throw new ApiError('WEBHOOK_NOT_FOUND', `no call ${JSON.stringify(id)} that has completed or failed for good`)
}

/** Retries all calls queued in a period, up to the limit of one request. @throws ApiError INVALID_REQUEST */
export async function retryWebhookCalls(
  { db, audit }: Chat,
  app: string,
  { room, since, until, state }: Input<typeof operations.retryWebhookCalls>['body'],
): Promise<Result<typeof operations.retryWebhookCalls>> {
  const given = { since: `${since}`, until: until === undefined ? undefined : `${until}` }
  const { sinceMS, ...period } = parsePeriod(given, { code: 'INVALID_REQUEST' })
  // Retried calls count as queued later than this.
  const untilMS = Math.min(period.untilMS, clock.now() - 1)
  const states = state === undefined ? (['done', 'failed'] as const) : [state]
  const range = { app, room, sinceMS, untilMS }
  const { count, hasMore } = await requeueCalls(db, range, states, maxRetriedCalls, async (session, requeued) => {
    audit?.addDetails({ after: { room, count: requeued } })
    await audit?.write(db, session)
  })
  return { count, complete: !hasMore, until: untilMS }
}

/**
 * Retries a call that failed for good. The push service makes it within a second.
 * @throws ApiError WEBHOOK_NOT_FOUND
 */
export async function retryFailedWebhook(chat: Chat, app: string, id: string): Promise<{ id: string }> {
  const call = await requeueCall(chat.db, app, id, ['failed'], async (session) => chat.audit?.write(chat.db, session))
  if (!call) throw new ApiError('WEBHOOK_NOT_FOUND', `no failed call ${JSON.stringify(id)}`)
  return { id }
}
