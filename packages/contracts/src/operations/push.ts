import { z } from 'zod'
import { userId } from '../ids.ts'
import { operation } from '../operation.ts'
import { pushPayload } from '../resources/push-payload.ts'
import { failedWebhook } from '../resources/webhook.ts'

export const pushToClients = operation({
  id: 'pushToClients',
  method: 'POST',
  path: '/push/push2clients',
  tag: 'Push',
  summary: 'Push a notification to all devices of users',
  description: "A group's ID stands for its members. Users without a registered device receive nothing.",
  access: 'admin',
  form: 'envelope',
  body: z.strictObject({
    clients: z.array(userId).describe('User or group IDs'),
    payload: pushPayload,
  }),
  result: z.strictObject({}),
  errors: ['MISSING_PARAMETER'],
  example: {
    body: { clients: ['alice'], payload: { title: 'Sale', body: 'Half price today', alert: 'Half price today' } },
    result: {},
  },
})

export const listFailedWebhooks = operation({
  id: 'listFailedWebhooks',
  method: 'GET',
  path: '/admin/webhooks/failed',
  tag: 'Webhooks',
  summary: 'Calls to room webhooks and PUSH_GENERIC that were given up, the latest first',
  description: 'Kept for 30 days.',
  access: 'admin',
  form: 'envelope',
  query: z.object({
    skip: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(500).default(20),
  }),
  result: z.object({ totalCount: z.number().int(), data: z.array(failedWebhook) }),
  errors: ['INVALID_QUERY'],
  extension: true,
  example: { query: { limit: 20 } },
})

export const retryFailedWebhook = operation({
  id: 'retryFailedWebhook',
  method: 'POST',
  path: '/admin/webhooks/failed/:id/retry',
  tag: 'Webhooks',
  summary: 'Make a call again that was given up',
  description: 'It goes out with the same webhook-id, before all that waits for the same room.',
  access: 'admin',
  form: 'envelope',
  params: z.object({ id: z.string().min(1).max(256) }),
  result: z.object({ id: z.string() }),
  errors: ['WEBHOOK_NOT_FOUND'],
  extension: true,
  example: { result: { id: 'hook_66f0c1a2b3c4d5e6f7a8b9c0' } },
})
