import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../../ids.ts'
import { ours } from '../../ours.ts'
import { keptBackBy } from './decide-notification.ts'
import { pushNetwork } from './network.ts'

/** Why a user or a device got no push (docs/reference/push.md#why-a-push-came-or-did-not). */
const pushReason = z.enum([
  'NO_DEVICE',
  'CONNECTED',
  ...keptBackBy,
  'BANNED',
  'BLOCKED',
  'SENDER',
  'ROBOT',
  'PUSH_FALSE',
  'STREAMING',
  'NOT_A_MEMBER',
  'NOT_IN_THREAD',
  'PUSH_GENERIC',
  'DELETED',
  'LATE',
  'NO_NETWORK',
  'NOT_RECORDED',
])
export type PushReason = z.infer<typeof pushReason>

const explainedDevice = z.object({
  deviceId: z.string(),
  network: pushNetwork.optional(),
  outcome: z
    .enum(['sent', 'refused', 'waiting', 'sending', 'given up', 'not sent'])
    .describe('`sending` for long: the process was killed, and the outcome is unknown'),
  reason: z.string().optional().describe("With `not sent`: a PushReason; otherwise the network's reason"),
  id: z.string().optional().describe("The network's ID of the push"),
  atMS: timeMS.optional().describe('When it was sent, refused or given up'),
  tokenRemoved: z.boolean().optional().describe('The network reported the token as invalid'),
  nextTryAtMS: timeMS.optional(),
  tries: z.number().int().optional().describe('Failed attempts so far'),
  lastError: z.string().optional(),
})
export type ExplainedDevice = z.infer<typeof explainedDevice>

/** Decisions about a message's pushes to a user, and their outcomes. */
export const pushExplanation = z
  .object({
    message: messageId,
    room: roomId,
    client: userId,
    recorded: z.boolean().describe('Whether the decision was recorded; false: reasons that would apply now'),
    decidedAtMS: timeMS.optional(),
    reason: pushReason.optional().describe('Why no device got a push'),
    devices: z.array(explainedDevice),
    call: z
      .object({
        id: z.string().describe('The webhook-id'),
        state: z.enum(['waiting', 'done', 'failed']),
        tries: z.number().int(),
        lastError: z.string().optional(),
      })
      .optional()
      .describe('The PUSH_GENERIC call with this user'),
  })
  .meta({ id: 'PushExplanation', ...ours })
export type PushExplanation = z.infer<typeof pushExplanation>
