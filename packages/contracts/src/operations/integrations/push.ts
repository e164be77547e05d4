import { z } from 'zod'
import { messageId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { pushExplanation } from '../../resources/push/explanation.ts'
import { pushPayload } from '../../resources/push/payload.ts'

export const pushToClients = operation('pushToClients', 'POST /push/push2clients', {
  inInterface: true,
  tag: 'Push',
  summary: 'Send a push notification to all devices of users',
  description: "A group's ID stands for its members. Users without a registered device receive nothing.",
  access: 'admin',
  scope: 'push:write',
  body: z.strictObject({
    clients: z.array(userId).describe('User or group IDs'),
    payload: pushPayload,
  }),
  result: z.strictObject({}),
  errors: ['MISSING_PARAMETER'],
  example: {
    body: { clients: ['alice'], payload: { title: 'Sale', body: 'Half price today', alert: 'Half price today' } },
    result: {},
  },
})

export const whyPush = operation('whyPush', 'GET /admin/push/why', {
  tag: 'Push',
  summary: 'Explain why a message was or was not pushed to a user',
  description:
    'Returns the decision at the time, kept for 7 days. If `recorded` is false, there is no record and the reasons are those that would apply now.',
  access: 'admin',
  scope: 'push:read',
  query: z.object({ message: messageId, client: userId }),
  result: pushExplanation,
  errors: ['MESSAGE_NOT_FOUND', 'CLIENT_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { message: '66f0c1a2b3c4d5e6f7a8b9c0', client: 'bob' },
    result: {
      message: '66f0c1a2b3c4d5e6f7a8b9c0',
      room: 'demo-room',
      client: 'bob',
      recorded: true,
      decidedAtMS: 1_795_176_000_050,
      devices: [
        {
          deviceId: 'phone',
          network: 'apns',
          outcome: 'sent',
          id: '5c1f1a0e-5a5f-6a38-0b1c-2f4d5e6f7a8b',
          atMS: 1_795_176_000_190,
        },
        { deviceId: 'tablet', network: 'apns', outcome: 'not sent', reason: 'CONNECTED' },
      ],
    },
  },
})
