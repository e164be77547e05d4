import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { ours } from '@parley/contracts/ours'
import { directoryAnswer, directoryCall } from '@parley/contracts/resources/directory'
import { moderationAnswer, moderationCall } from '@parley/contracts/resources/moderation-hook'
import { pushCall, webhookAnswer, webhookCall } from '@parley/contracts/resources/webhook'
import { z } from 'zod'
import type { OpenApiDocument } from './openapi-shapes.ts'

const signature = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header',
  'x-extension': true as const,
  required: true,
  schema: { type: 'string' },
  description: "Standard Webhooks, signed with the app's secret; webhook-id is the same on every try",
}))

/** The calls that Parley makes to integrators' servers, as the `webhooks` of an OpenAPI 3.1 document. */
export function describeWebhooks(): OpenApiDocument['webhooks'] {
  return {
    roomWebhook: {
      post: {
        operationId: 'roomWebhook',
        tags: ['Webhooks'],
        summary: "What happened in a room, to the room's webhook; in the room's order",
        ...ours,
        parameters: signature,
        requestBody: { required: true, content: json(webhookCall) },
        responses: {
          200: { description: 'May move the bot state and let a robot speak', content: json(webhookAnswer) },
        },
      },
    },
    moderate: {
      post: {
        operationId: 'moderate',
        tags: ['Webhooks'],
        summary: 'A message that a user is about to send or to edit, to the URL under `MODERATE` of the configuration',
        ...ours,
        parameters: signature,
        requestBody: { required: true, content: json(moderationCall) },
        responses: { 200: { description: 'Whether it may be sent, and how', content: json(moderationAnswer) } },
      },
    },
    directory: {
      post: {
        operationId: 'directory',
        tags: ['Webhooks'],
        summary: 'A search for users by name, to the URL under `directory` of the configuration',
        ...ours,
        parameters: signature,
        requestBody: { required: true, content: json(directoryCall) },
        responses: { 200: { description: 'The IDs of the users found', content: json(directoryAnswer) } },
      },
    },
    pushGeneric: {
      post: {
        operationId: 'pushGeneric',
        tags: ['Webhooks'],
        summary: 'A message that is to be pushed, to the URL in PUSH_GENERIC',
        parameters: signature,
        requestBody: { required: true, content: json(pushCall) },
        responses: { 200: { description: 'Answer promptly; nothing is read' } },
      },
    },
  }
}

function json(schema: z.ZodType): Record<string, { schema: JsonSchema }> {
  const { $schema: _, $defs: _2, ...described } = z.toJSONSchema(schema)
  // The document's components have the schemas of resources already.
  const text = JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/')
  return { 'application/json': { schema: JSON.parse(text) } }
}
