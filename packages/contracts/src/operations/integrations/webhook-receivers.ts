import { z } from 'zod'
import { timeMS } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { ours } from '../../ours.ts'

export const receiverId = z.string().regex(/^rc_[\w-]{32}$/, 'expected the ID of a receiver')
const params = z.object({ id: receiverId.describe('ID of a receiver') })
const exampleId = 'rc_mJx3kQ9vT1aZ5cB7eF2hL8nP4rW6yD0s'

export const openWebhookReceiver = operation('openWebhookReceiver', 'POST /admin/webhooks/receivers', {
  tag: 'Webhooks',
  summary: 'Open a test receiver: a Parley URL that records calls',
  description:
    'For trying webhooks, PUSH_GENERIC or hooks without your own server. It accepts POST requests until it ends. An app has at most five receivers; a sixth ends the oldest.',
  access: 'admin',
  scope: 'webhooks:write',
  audit: () => ({ kind: 'call', id: '' }),
  body: z.strictObject({
    minutes: z.number().int().min(1).max(60).default(15).describe('Minutes until it ends'),
    status: z
      .number()
      .int()
      .min(200)
      .max(599)
      .default(200)
      .describe('HTTP status of its responses, for testing retries'),
  }),
  result: z.object({
    id: z.string(),
    path: z.string().describe('Relative to the base URL of the API'),
    endsAtMS: timeMS,
  }),
  errors: ['SERVICE_UNAVAILABLE'],
  example: {
    body: { minutes: 15 },
    result: { id: exampleId, path: `/webhooks/receivers/${exampleId}`, endsAtMS: 1_795_176_900_000 },
  },
})

export const readWebhookReceiver = operation('readWebhookReceiver', 'GET /admin/webhooks/receivers/:id', {
  tag: 'Webhooks',
  summary: 'List the calls that a receiver recorded, newest first',
  description:
    'Returns the latest 100 calls with the first 16 KiB of each body. After 1,000 calls, the receiver responds with 429.',
  access: 'admin',
  scope: 'webhooks:read',
  conversations: true,
  params,
  result: z.object({
    endsAtMS: timeMS,
    count: z.number().int().describe('Calls so far'),
    data: z.array(
      z
        .object({
          atMS: timeMS,
          headers: z.record(z.string(), z.string()).describe('Without cookie and authorization headers'),
          body: z.string(),
          isCut: z.boolean().optional().describe('The body was truncated'),
        })
        .meta({ id: 'RecordedCall', ...ours }),
    ),
  }),
  errors: ['WEBHOOK_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  example: {
    result: {
      endsAtMS: 1_795_176_900_000,
      count: 1,
      data: [
        {
          atMS: 1_795_176_000_060,
          headers: { 'content-type': 'application/json', 'webhook-id': 'hook_66f0c1a2b3c4d5e6f7a8b9c0' },
          body: '{"appID":"demo","clientID":"alice","roomID":"demo-room","event":"MESSAGE","botState":"","data":{}}',
        },
      ],
    },
  },
})

export const closeWebhookReceiver = operation('closeWebhookReceiver', 'DELETE /admin/webhooks/receivers/:id', {
  tag: 'Webhooks',
  summary: 'Close a receiver and discard its calls',
  access: 'admin',
  scope: 'webhooks:write',
  audit: auditsParam('call', 'id'),
  params,
  result: z.object({ id: z.string() }),
  errors: ['WEBHOOK_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  example: { result: { id: exampleId } },
})
