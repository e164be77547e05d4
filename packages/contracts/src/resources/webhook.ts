import { z } from 'zod'
import { isoTime, roomId, timeMS, userId } from '../ids.ts'
import { message, messageContent, messageType } from './message.ts'

/** What a room's webhook is told of (decisions.md, "Push and webhooks"). */
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
  clientID: z.string().describe('The user whose action it tells of; empty when it was the API key'),
  roomID: roomId,
  event: webhookEvent,
  botState: z.string(),
  data: z.unknown().describe('A Message; {room, sender, members}; with ROOM the Room beside them'),
})
export type WebhookCall = z.infer<typeof webhookCall>

/** What a webhook may answer: the room's new bot state, and a message that a robot of the room says. */
export const webhookAnswer = z.object({
  senderID: userId.optional(),
  toBotState: z.string().max(256).optional(),
  data: z.object({ message: messageContent, messageType }).optional(),
})
export type WebhookAnswer = z.infer<typeof webhookAnswer>

/** The body of a call of PUSH_GENERIC (interface.md, "Integrator push callback"). */
export const pushCall = message.extend({
  roomName: z.string(),
  pushToClients: z.array(userId).describe('Whom to push to: 10,000 at most, more come in further calls'),
})
export type PushCall = z.infer<typeof pushCall>

/** A call to an integrator's server that was given up. */
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
  .meta({ id: 'FailedWebhook' })
export type FailedWebhook = z.infer<typeof failedWebhook>
