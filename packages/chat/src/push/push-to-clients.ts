import { inParts } from '@parley/async/in-parts'
import { type ClientsPush, maxClientsPerPush } from '@parley/contracts/bus/push-work'
import type { PushPayload } from '@parley/contracts/resources/push/payload'
import { newId } from '@parley/db/messages/messages'
import { expandGroups } from '@parley/db/users/groups'
import type { Chat } from '../chat.ts'

/**
 * Passes a notification for all devices of users to the push service (docs/reference/push.md#recipients). A group's ID
 * stands for its current members. When this settles the bus has it, or the outbox keeps it until the bus is back.
 * @param request request ID, for log lines
 */
export async function pushToClients(
  chat: Chat,
  app: string,
  ids: readonly string[],
  payload: PushPayload,
  request: string,
): Promise<void> {
  const clients = [...(await expandGroups(chat.db, app, ids))]
  for (const part of inParts(clients, maxClientsPerPush)) {
    const push: ClientsPush = { id: newId(), clients: part, payload, request }
    await chat.outbox.storeAndPublish({ kind: 'push', id: push.id, app, json: JSON.stringify(push) })
  }
}
