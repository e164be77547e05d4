import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/integrations/webhook-receivers'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Presence } from '@parley/presence/connect'
import {
  closeReceiver,
  findReceiver,
  maxCalls,
  openReceiver,
  type Receiver,
  readRecordedCalls,
  recordCall,
} from '@parley/presence/webhook-receivers'
import type { Chat } from '../chat.ts'

type Auditing = Pick<Chat, 'audit' | 'db'>

const maxBodyBytes = 16 * 1_024
const maxHeaderChars = 1_024
const maxHeaders = 50
/** Left out: whoever is sent here by mistake may include credentials, such as those of Parley's own calls. */
const leftOut: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'im-api-key',
  'im-authorization',
  'parley-csrf',
])

/** POST /admin/webhooks/receivers: opens a receiver. Its random ID is the only credential that a caller needs. */
export async function openWebhookReceiver(
  { db, audit }: Auditing,
  presence: Presence,
  app: string,
  { minutes, status }: Input<typeof operations.openWebhookReceiver>['body'],
): Promise<Result<typeof operations.openWebhookReceiver>> {
  const id = `rc_${randomBytes(24).toString('base64url')}`
  const endsAtMS = clock.now() + minutes * 60_000
  audit?.addDetails({ after: { minutes, status } })
  await inTransaction(db, async (session) => audit?.write(db, session))
  await openReceiver(presence, id, { app, endsAtMS, status })
  return { id, path: `/webhooks/receivers/${id}`, endsAtMS }
}

/** GET /admin/webhooks/receivers/{id}. @throws ApiError WEBHOOK_NOT_FOUND */
export async function readWebhookReceiver(
  presence: Presence,
  app: string,
  id: string,
): Promise<Result<typeof operations.readWebhookReceiver>> {
  const { endsAtMS, count } = await requireReceiver(presence, app, id)
  return { endsAtMS, count, data: await readRecordedCalls(presence, id) }
}

/** DELETE /admin/webhooks/receivers/{id}. @throws ApiError WEBHOOK_NOT_FOUND */
export async function closeWebhookReceiver(
  { db, audit }: Auditing,
  presence: Presence,
  app: string,
  id: string,
): Promise<{ id: string }> {
  await requireReceiver(presence, app, id)
  await inTransaction(db, async (session) => audit?.write(db, session))
  await closeReceiver(presence, app, id)
  return { id }
}

/** Records a call to a receiver, by anyone who knows its ID. @returns the status to respond with */
export async function receiveCall(
  presence: Presence,
  id: string,
  { headers, body }: { headers: Readonly<Record<string, string | string[] | undefined>>; body: Uint8Array },
): Promise<number> {
  const receiver = await findReceiver(presence, id)
  if (!receiver) return 404
  if (receiver.count >= maxCalls) return 429
  const shown = Object.entries(headers)
    .filter(([name]) => !leftOut.has(name))
    .slice(0, maxHeaders)
    .map(([name, value]) => [name, [value].flat().join(', ').slice(0, maxHeaderChars)])
  await recordCall(presence, id, receiver.endsAtMS, {
    atMS: clock.now(),
    headers: Object.fromEntries(shown) as Record<string, string>,
    body: new TextDecoder().decode(body.subarray(0, maxBodyBytes)),
    ...(body.length > maxBodyBytes && { isCut: true }),
  })
  return receiver.status
}

async function requireReceiver(presence: Presence, app: string, id: string): Promise<Receiver> {
  const receiver = await findReceiver(presence, id)
  if (receiver?.app === app) return receiver
  throw new ApiError('WEBHOOK_NOT_FOUND', 'no such receiver: it has ended, or belongs to another app')
}
