import { publishPushToClients } from '@parley/bus/publish-push-order'
import type { PushPayload } from '@parley/contracts/resources/push-payload'
import { newMessageId } from '@parley/db/messages'
import { findUsers } from '@parley/db/users'
import type { Chat } from './chat.ts'

/**
 * Hands a notification for all devices of users to the push service (interface.md, POST /push/push2clients). A group's
 * ID stands for its members at this moment. Settles when the stream has it.
 * @param request ID of the request, for the log lines of its way
 * @throws BusAway
 */
export async function pushToClients(
  chat: Chat,
  app: string,
  ids: readonly string[],
  payload: PushPayload,
  request: string,
): Promise<void> {
  const named = await findUsers(chat.db, app, ids)
  const clients = [...new Set(ids.flatMap((id) => named.get(id)?.groupMembers ?? [id]))]
  await publishPushToClients(chat.bus, app, { id: newMessageId(), clients, payload, request })
}
