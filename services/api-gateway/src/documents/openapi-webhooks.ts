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
  description: "Standard Webhooks, signed with the app's secret; webhook-id is the same on every attempt",
}))

/** The calls that Parley makes to integrators' servers, as the `webhooks` of an OpenAPI 3.1 document. */
export function describeWebhooks(): OpenApiDocument['webhooks'] {
  return {
    roomWebhook: {
      post: {
        operationId: 'roomWebhook',
        tags: ['Webhooks'],
        summary: "Room event, sent to the room's webhook in the room's order",
        ...ours,
        parameters: signature,
        requestBody: { required: true, content: json(webhookCall) },
        responses: {
          200: { description: 'May change the bot state and send a message as a robot', content: json(webhookAnswer) },
        },
      },
    },
    moderate: {
      post: {
        operationId: 'moderate',
        tags: ['Webhooks'],
        summary: 'Text to moderate before it is shown, sent to the `MODERATE` URL of the configuration',
        ...ours,
        parameters: signature,
        requestBody: { required: true, content: json(moderationCall) },
        responses: { 200: { description: 'The decision: allow, mask or refuse', content: json(moderationAnswer) } },
      },
    },
    directory: {
      post: {
        operationId: 'directory',
        tags: ['Webhooks'],
        summary: 'User search or start of a chat, sent to the `directory` URL of the configuration',
        ...ours,
        parameters: signature,
        requestBody: { required: true, content: json(directoryCall) },
        responses: { 200: { description: 'IDs of the users found or allowed', content: json(directoryAnswer) } },
      },
    },
    pushGeneric: {
      post: {
        operationId: 'pushGeneric',
        tags: ['Webhooks'],
        summary: 'Message to push, sent to the PUSH_GENERIC URL',
        parameters: signature,
        requestBody: { required: true, content: json(pushCall) },
        responses: { 200: { description: 'Respond promptly; the body is ignored' } },
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
