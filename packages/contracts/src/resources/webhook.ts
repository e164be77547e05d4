import { z } from 'zod'
import { isoTime, messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { typedCommand } from './command.ts'
import { message, messageContent, messageType } from './message.ts'
import { keptBackBy } from './push/decide-notification.ts'

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

/** The body of a call to a room's webhook. Headers follow standardwebhooks.com. */
export const webhookCall = z.object({
  appID: z.string(),
  clientID: z.string().describe('Acting user; empty for the API key'),
  roomID: roomId,
  event: webhookEvent,
  botState: z.string(),
  command: typedCommand
    .optional()
    .meta(ours)
    .describe('With MESSAGE: the typed command, if a robot of the room has it'),
  data: z.unknown().describe('A Message, or {room, sender, members}; with ROOM, also the Room'),
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

/** Why a call to PUSH_GENERIC names users who were connected when the message came. */
const pushBecause = ['away', 'half-open'] as const

/** The body of a call to PUSH_GENERIC (docs/reference/push.md#your-own-push-backend). */
export const pushCall = message.extend({
  roomName: z.string(),
  pushToClients: z.array(userId).describe('At most 10,000 recipients; the rest follow in further calls'),
  keptBack: z
    .partialRecord(z.enum(keptBackBy), z.array(userId))
    .optional()
    .meta(ours)
    .describe('Members whose settings suppress the push, by setting'),
  because: z
    .enum(pushBecause)
    .optional()
    .meta(ours)
    .describe('Why connected users are named: all their devices are away, or did not answer'),
})
export type PushCall = z.infer<typeof pushCall>

const call = {
  id: z.string().describe('webhook-id of every attempt'),
  kind: z.enum(['webhook', 'push']).describe("A room's webhook, or PUSH_GENERIC"),
  roomID: roomId,
  clientID: z.string(),
  event: z.string().describe('Webhook event; PUSH for PUSH_GENERIC'),
}

/** A call to an integrator's server that failed permanently. */
export const failedWebhook = z
  .object({
    ...call,
    data: z.unknown(),
    tries: z.number().int(),
    lastError: z.string(),
    createdAtMS: timeMS,
    failedAt: isoTime,
  })
  .meta({ id: 'FailedWebhook', ...ours })
export type FailedWebhook = z.infer<typeof failedWebhook>

/** A finished or waiting call to an integrator's server, without its data. */
export const webhookDelivery = z
  .object({
    ...call,
    state: z.enum(['waiting', 'done', 'failed']),
    tries: z.number().int(),
    createdAtMS: timeMS.describe('When it was last queued'),
    status: z.number().int().optional().describe('Status of the last response'),
    answer: z.string().optional().describe('First KiB of the last response; operators do not get it in lists'),
    durationMS: z.number().int().optional().describe('Duration of the last attempt'),
    lastTryAtMS: timeMS.optional(),
    lastError: z.string().optional().describe('Why the last attempt failed'),
  })
  .meta({ id: 'WebhookDelivery', ...ours })
export type WebhookDelivery = z.infer<typeof webhookDelivery>

/** Configuration key of named URLs that rooms can use as `webhook`. */
export const webhookKeysKey = 'webhookKeys'
export const webhookUrl = z.url({ protocol: /^https?$/ }).max(2_048)
/** Its value. */
export const webhookKeys = z.record(z.string(), webhookUrl)
