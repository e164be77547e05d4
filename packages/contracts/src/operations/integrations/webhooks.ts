import { z } from 'zod'
import { madeId, naming, roomId, timeMS } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { failedWebhook, webhookDelivery } from '../../resources/webhook.ts'
import { timeInBody, timeParameter } from '../../time-parameter.ts'

export const listFailedWebhooks = operation('listFailedWebhooks', 'GET /admin/webhooks/failed', {
  tag: 'Webhooks',
  summary: 'List calls to room webhooks and PUSH_GENERIC that failed permanently, newest first',
  description: 'Kept for 30 days.',
  access: 'admin',
  scope: 'webhooks:read',
  conversations: true,
  query: z.object({
    skip: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(500).default(20),
  }),
  result: z.object({ totalCount: z.number().int(), data: z.array(failedWebhook) }),
  errors: ['INVALID_QUERY'],
  example: { query: { limit: 20 } },
})

export const retryFailedWebhook = operation('retryFailedWebhook', 'POST /admin/webhooks/failed/:id/retry', {
  tag: 'Webhooks',
  summary: 'Retry a failed call',
  description: 'The call is sent with the same webhook-id, before other calls of its room.',
  access: 'admin',
  scope: 'webhooks:write',
  audit: auditsParam('call', 'id'),
  params: z.object({ id: naming('failed call', madeId(256).describe('ID of a failed call')) }),
  result: z.object({ id: z.string() }),
  errors: ['WEBHOOK_NOT_FOUND'],
  example: { result: { id: 'hook_66f0c1a2b3c4d5e6f7a8b9c0' } },
})

const exampleDelivery = {
  id: 'hook_66f0c1a2b3c4d5e6f7a8b9c0',
  kind: 'webhook' as const,
  roomID: 'demo-room',
  clientID: 'alice',
  event: 'MESSAGE',
  state: 'done' as const,
  tries: 1,
  createdAtMS: 1_795_176_000_040,
  status: 200,
  answer: '{"ok":true}',
  durationMS: 83,
  lastTryAtMS: 1_795_176_000_060,
}

export const listWebhookCalls = operation('listWebhookCalls', 'GET /admin/webhooks/calls', {
  tag: 'Webhooks',
  summary: 'List calls to room webhooks and PUSH_GENERIC, newest first',
  description: 'Calls are kept for 7 days, permanently failed ones for 30 days.',
  access: 'admin',
  scope: 'webhooks:read',
  query: z.object({
    room: roomId.optional(),
    since: timeParameter.optional().describe('Earliest time; default: 7 days ago'),
    until: timeParameter.optional(),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(webhookDelivery),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { room: 'demo-room', since: '1795089600000' }, result: { data: [exampleDelivery] } },
})

export const readWebhookCall = operation('readWebhookCall', 'GET /admin/webhooks/calls/:id', {
  tag: 'Webhooks',
  summary: 'Get a call with its data, as it would be sent now',
  description:
    'Waiting calls have the queued data. The data of finished calls is not kept: `data` has the current state of the message or room, or the stub of a deleted one.',
  access: 'admin',
  scope: 'webhooks:read',
  conversations: true,
  params: z.object({ id: naming('webhook call', madeId(256).describe('ID of a call')) }),
  result: z.object({ call: webhookDelivery, data: z.unknown().describe('`data` of a WebhookCall, or a PushCall') }),
  errors: ['WEBHOOK_NOT_FOUND'],
  example: { result: { call: exampleDelivery, data: { _id: '66f0c1a2b3c4d5e6f7a8b9c0', message: 'Hello' } } },
})

export const retryWebhookCall = operation('retryWebhookCall', 'POST /admin/webhooks/calls/:id/retry', {
  tag: 'Webhooks',
  summary: 'Repeat a call that succeeded or failed permanently',
  description: 'The call is sent with the same webhook-id, before other calls of its room.',
  access: 'admin',
  scope: 'webhooks:write',
  audit: auditsParam('call', 'id'),
  params: z.object({ id: naming('webhook call', madeId(256).describe('ID of a call')) }),
  result: z.object({ id: z.string() }),
  errors: ['WEBHOOK_NOT_FOUND'],
  example: { result: { id: exampleDelivery.id } },
})

/** Maximum number of calls that one request repeats. */
export const maxRetriedCalls = 1_000

export const retryWebhookCalls = operation('retryWebhookCalls', 'POST /admin/webhooks/calls/retry', {
  tag: 'Webhooks',
  summary: 'Repeat the calls of a period',
  description: `Oldest first, each with its webhook-id; at most ${maxRetriedCalls.toLocaleString('en')} per request. While \`complete\` is false, repeat the request with \`until\` of the result.`,
  access: 'admin',
  scope: 'webhooks:write',
  audit: () => ({ kind: 'call', id: '' }),
  body: z.strictObject({
    since: timeInBody.describe('ISO-8601, or milliseconds since 1970-01-01 UTC'),
    until: timeInBody.optional().describe('Default: now'),
    room: roomId.optional(),
    state: z.enum(['done', 'failed']).optional().describe('Only calls that succeeded or that failed permanently'),
  }),
  result: z.object({
    count: z.number().int().describe('Number of repeated calls'),
    complete: z.boolean(),
    until: timeMS,
  }),
  errors: ['MISSING_PARAMETER'],
  example: {
    body: { since: '2026-11-20T11:00:00Z', until: '2026-11-20T12:00:00Z', room: 'demo-room' },
    result: { count: 12, complete: true, until: 1_795_176_000_000 },
  },
})
