import { z } from 'zod'
import { isoTime, timeMS, userId } from '../../ids.ts'
import { ours } from '../../ours.ts'
import { deviceType } from './network.ts'

/** A device registered for push, as shown to API keys. */
export const pushDevice = z
  .object({
    client: userId,
    deviceId: z.string(),
    type: deviceType,
    fingerprint: z.string(),
    language: z.string().optional(),
    topic: z.string().optional().describe('The APNs topic'),
    updatedAt: isoTime.describe('Last registration'),
    lastError: z.object({ reason: z.string(), atMS: timeMS }).optional().describe('Of its last push, if that failed'),
  })
  .meta({ id: 'PushDevice', ...ours })
export type PushDevice = z.infer<typeof pushDevice>
