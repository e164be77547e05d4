import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { listFailedWebhooks as operation } from '@parley/contracts/operations/push'
import type { FailedWebhook } from '@parley/contracts/resources/webhook'
import { findFailedCalls, type OutgoingCallDoc, reviveCall } from '@parley/db/outgoing-calls'
import type { Chat } from './chat.ts'

/** The calls to an integrator's servers that were given up, the latest first (the dead letters). */
export async function listFailedWebhooks(
  chat: Chat,
  app: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<Result<typeof operation>> {
  const { totalCount, calls } = await findFailedCalls(chat.db, app, skip, limit)
  return { totalCount, data: calls.map(showFailed) }
}

/**
 * Lets a call that was given up be made again; the push service takes it up within a second.
 * @throws ApiError WEBHOOK_NOT_FOUND
 */
export async function retryFailedWebhook(chat: Chat, app: string, id: string): Promise<{ id: string }> {
  const call = await reviveCall(chat.db, app, id)
  if (!call) throw new ApiError('WEBHOOK_NOT_FOUND', `no failed delivery ${JSON.stringify(id)}`)
  return { id }
}

function showFailed(call: OutgoingCallDoc): FailedWebhook {
  return {
    id: call._id,
    kind: call.kind,
    roomID: call.room,
    clientID: call.client,
    event: call.event,
    data: JSON.parse(call.data ?? 'null'),
    tries: call.tries,
    lastError: call.lastError ?? '',
    createdAtMS: call.createdAtMS,
    failedAt: (call.failedAt ?? new Date(0)).toISOString(),
  }
}
