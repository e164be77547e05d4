import { readInParts } from '@parley/async/in-parts'
import type { FailedWebhook } from '@parley/contracts/resources/webhook'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { findFailedCalls } from '@parley/db/push/outgoing-calls'
import type { Chat } from '../chat.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { currentCallsData } from './call-data.ts'

/** Calls per batch, whose messages are in memory together. */
const readTogether = 25

/** The integrator's webhook calls that failed for good (dead letters), latest first. */
export async function listFailedWebhooks(
  chat: Chat,
  app: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<JsonText> {
  const { totalCount, calls } = await findFailedCalls(chat.db, app, skip, limit)
  async function* parts(): AsyncGenerator<string[]> {
    for await (const part of readInParts(calls, readTogether)) {
      const data = await currentCallsData(chat.db, app, part)
      yield part.map((call, i) => withField(toFailedWebhook(call), 'data', data[i] ?? 'null'))
    }
  }
  return JsonText.page(totalCount, parts())
}

function toFailedWebhook(call: OutgoingCallDoc): Omit<FailedWebhook, 'data'> {
  return {
    id: call._id,
    kind: call.kind,
    roomID: call.room,
    clientID: call.client,
    event: call.event,
    tries: call.tries,
    lastError: call.lastError ?? '',
    createdAtMS: call.createdAtMS,
    failedAt: (call.failedAt ?? new Date(0)).toISOString(),
  }
}
