import { z } from 'zod'
import { isoTime, messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { typedCommand } from './command.ts'
import { message, messageContent, messageType } from './message.ts'
import { keptBackBy } from './notification-settings.ts'

/** The events that a room's webhook receives (docs/reference/push.md#room-webhooks). */
export const webhookEvent = z.enum([
  'MESSAGE',
  'MESSAGE_UPDATED',
  'MESSAGE_DELETED',
  'JOIN_ROOM',
  'ADD_MEMBERS',
  'DELETE_MEMBERS',
  'ROOM',
])
export type WebhookEvent = z.infer<typeof webhookEvent>

/** The body of a call to a room's webhook; headers by standardwebhooks.com. */
export const webhookCall = z.object({
  appID: z.string(),
  clientID: z.string().describe('The acting user; empty for the API key'),
  roomID: roomId,
  event: webhookEvent,
  botState: z.string(),
  command: typedCommand
    .optional()
    .meta(ours)
    .describe('With MESSAGE: the command that the user typed, when a robot of the room has it'),
  data: z.unknown().describe('A Message; {room, sender, members}; with ROOM the Room beside them'),
})
export type WebhookCall = z.infer<typeof webhookCall>

/** The answer of a webhook: the room's new bot state, and a message that a robot of the room sends. */
export const webhookAnswer = z.object({
  senderID: userId.optional(),
  toBotState: z.string().max(256).optional(),
  data: z
    .object({
      message: messageContent,
      messageType,
      replyTo: messageId.optional().meta(ours),
      thread: z.boolean().optional().meta(ours),
    })
    .optional(),
})
export type WebhookAnswer = z.infer<typeof webhookAnswer>

/** The body of a call to PUSH_GENERIC (docs/reference/push.md#your-own-push-backend). */
export const pushCall = message.extend({
  roomName: z.string(),
  pushToClients: z.array(userId).describe('The recipients, at most 10,000; more come in further calls'),
  keptBack: z
    .partialRecord(z.enum(keptBackBy), z.array(userId))
    .optional()
    .meta(ours)
    .describe('Members whose settings keep the push back, by setting'),
})
export type PushCall = z.infer<typeof pushCall>

/** A call to an integrator's server that failed for good. */
export const failedWebhook = z
  .object({
    id: z.string().describe('The webhook-id of every try'),
    kind: z.enum(['webhook', 'push']).describe("A room's webhook, or PUSH_GENERIC"),
    roomID: roomId,
    clientID: z.string(),
    event: z.string().describe('The event of the webhook; PUSH for PUSH_GENERIC'),
    data: z.unknown(),
    tries: z.number().int(),
    lastError: z.string(),
    createdAtMS: timeMS,
    failedAt: isoTime,
  })
  .meta({ id: 'FailedWebhook', ...ours })
export type FailedWebhook = z.infer<typeof failedWebhook>

/** A call to an integrator's server, made or waiting; without its data. */
export const webhookDelivery = z
  .object({
    id: z.string().describe('The webhook-id of every try'),
    kind: z.enum(['webhook', 'push']).describe("A room's webhook, or PUSH_GENERIC"),
    roomID: roomId,
    clientID: z.string(),
    event: z.string().describe('The event of the webhook; PUSH for PUSH_GENERIC'),
    state: z.enum(['waiting', 'done', 'failed']),
    tries: z.number().int(),
    createdAtMS: timeMS.describe('When it was queued, the last time'),
    status: z.number().int().optional().describe('HTTP status of the last response'),
    answer: z.string().optional().describe('The first KiB of its body'),
    durationMS: z.number().int().optional().describe('Of the last try'),
    lastTryAtMS: timeMS.optional(),
    lastError: z.string().optional().describe('Why the last try failed'),
  })
  .meta({ id: 'WebhookDelivery', ...ours })
export type WebhookDelivery = z.infer<typeof webhookDelivery>

/** The configuration key of names for URLs that rooms may have for their `webhook`. */
export const webhookKeysKey = 'webhookKeys'
export const webhookUrl = z.url({ protocol: /^https?$/ }).max(2_048)
/** Its value. */
export const webhookKeys = z.record(z.string(), webhookUrl)
