import { ApiError } from '@parley/contracts/errors'
import { requeueCall } from '@parley/db/push/call-history'
import type { Chat } from '../chat.ts'

/**
 * Retries a call that failed for good. The push service makes it within a second.
 * @throws ApiError WEBHOOK_NOT_FOUND
 */
export async function retryFailedWebhook(chat: Chat, app: string, id: string): Promise<{ id: string }> {
  const call = await requeueCall(chat.db, app, id, ['failed'], async (session) => chat.audit?.write(chat.db, session))
  if (!call) throw new ApiError('WEBHOOK_NOT_FOUND', `no failed call ${JSON.stringify(id)}`)
  return { id }
}
