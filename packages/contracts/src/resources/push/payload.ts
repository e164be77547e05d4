import { z } from 'zod'

/** The payload of POST /push/push2clients: fields for iOS, for Android, and shared. */
export const pushPayload = z
  .strictObject({
    type: z.string().max(256).optional().describe('Custom classification tag'),
    expiry: z.number().int().min(0).optional().describe('iOS: expiry, Unix seconds'),
    alert: z
      .union(
        [
          z.string(),
          z.looseObject({ 'loc-key': z.string().exactOptional(), 'loc-args': z.array(z.unknown()).exactOptional() }),
        ],
        'expected a text, or an object whose loc-key is a text and loc-args a list',
      )
      .optional()
      .describe('iOS: plain text, or an object with loc-key and loc-args'),
    badge: z.number().int().min(0).optional().describe('iOS: app icon badge'),
    sound: z.string().max(256).optional().describe('iOS: sound file name'),
    topic: z.string().max(256).optional().describe('iOS: push topic, normally the app bundle ID'),
    title: z.string().optional().describe('Android: title'),
    body: z.string().optional().describe('Android: body'),
    icon: z.string().max(2048).optional().describe('Android: icon URL'),
    collapseKey: z.string().max(256).optional().describe('Android: notifications with the same key collapse'),
  })
  .meta({ id: 'PushPayload' })
export type PushPayload = z.infer<typeof pushPayload>
