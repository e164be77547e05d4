import { z } from 'zod'
import { comparedText, inPath, naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { deviceType } from '../../resources/push/network.ts'
import { language } from '../../resources/push/text.ts'

const deviceToken = comparedText(4096)
  .min(1)
  .describe('Device push token; for `web`, the PushSubscription as JSON text')
export const deviceId = inPath(comparedText(256).min(1)).describe(
  'Same as in auth2, so that a connected device gets no push',
)

export const subscribe = operation('subscribe', 'POST /me/subscribe', {
  inInterface: true,
  tag: 'Push',
  summary: 'Register a device for push',
  access: 'client',
  body: z.strictObject({
    type: deviceType,
    token: deviceToken,
    deviceId,
    language: language
      .optional()
      .meta(ours)
      .describe('Language of the app’s push texts for this device, such as de-AT'),
  }),
  result: z.object({ type: deviceType, deviceId: z.string() }).meta(ours),
  errors: ['MISSING_PARAMETER', 'INVALID_REQUEST'],
  example: {
    body: { type: 'ios', token: '0123456789abcdef', deviceId: 'phone-1' },
    result: { type: 'ios', deviceId: 'phone-1' },
  },
})

export const webPushKey = operation('webPushKey', 'GET /me/webPushKey', {
  tag: 'Push',
  summary: "Get the app's public key for Web Push: the applicationServerKey of PushManager.subscribe()",
  description: 'The first request creates the key pair. Subscriptions are bound to it (VAPID, RFC 8292).',
  access: 'client',
  result: z.object({ publicKey: z.string().describe('P-256, uncompressed, base64url') }),
  example: {
    result: {
      publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    },
  },
})

export const unsubscribe = operation('unsubscribe', 'POST /me/unsubscribe', {
  inInterface: true,
  tag: 'Push',
  summary: 'Unregister a device or, without deviceId and token, all devices of the caller',
  access: 'client',
  body: z
    .strictObject({
      deviceId: naming('device', deviceId.describe('A registered device')).optional(),
      token: deviceToken.optional(),
    })
    .meta(ours),
  result: z.object({ removed: z.number().int() }).meta(ours),
  example: { body: { deviceId: 'phone-1' }, result: { removed: 1 } },
})
