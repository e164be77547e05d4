import { ApiError } from '@parley/contracts/errors'
import { readJson } from '@parley/contracts/free-json'
import type { Result } from '@parley/contracts/operation'
import type { readWebhookCall as operation } from '@parley/contracts/operations/integrations/webhooks'
import { findWholeCall } from '@parley/db/push/call-history'
import type { Chat } from '../chat.ts'
import { toDeliveryView } from '../views/webhook-delivery.ts'
import { currentCallData, waitedCallData } from './call-data.ts'

/** GET /admin/webhooks/calls/{id}: a call with the data that a retry would send. @throws ApiError WEBHOOK_NOT_FOUND */
export async function readWebhookCall({ db }: Chat, app: string, id: string): Promise<Result<typeof operation>> {
  const call = await findWholeCall(db, app, id)
  if (!call) throw new ApiError('WEBHOOK_NOT_FOUND', `no call ${JSON.stringify(id)}`)
  const isOver = call.state !== 'waiting' || call.isAgain
  const data = await (isOver ? currentCallData(db, call) : waitedCallData(db, call))
  return { call: toDeliveryView(call), data: readJson(data) }
}
