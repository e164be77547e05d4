import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { webhookDelivery } from '../../resources/webhook.ts'

const count = z.number().int()
const counts = z.record(z.string(), count)

export const traceMessage = operation('traceMessage', 'GET /admin/messages/:id/trace', {
  tag: 'Messages',
  summary: 'Trace a message',
  description:
    'From acceptance to readers. Nodes remember deliveries for some minutes; pushes and calls are recorded for 7 days; the stream keeps events for some days.',
  access: 'admin',
  scope: 'messages:read',
  params: z.object({ id: messageId }),
  result: z.object({
    message: messageId,
    room: roomId,
    sender: userId,
    seq: count,
    isDeleted: z.boolean(),
    accepted: z.object({ atMS: timeMS, request: z.string().optional().describe('ID of the request that sent it') }),
    published: z
      .object({ atMS: timeMS, streamSeq: count })
      .optional()
      .describe('Its event in the stream; absent if not yet published or no longer kept'),
    flushed: z.boolean().describe('Whether it has been flushed from the buffer of its room'),
    deliveries: z.array(
      z.object({
        node: z.string(),
        sockets: count.describe('Sockets that got it'),
        atMS: timeMS,
        caughtUp: z
          .literal(true)
          .optional()
          .describe('Delivered on reconnect with `since`; all such sockets together, at the time of the latest'),
      }),
    ),
    silentNodes: z.array(z.string()).describe('Realtime nodes that did not respond in time'),
    push: z.object({
      recorded: z.boolean(),
      members: counts.describe('Members without a push, by reason'),
      devices: counts.describe('Devices by decision: DUE, CONNECTED, NO_NETWORK; with PUSH_GENERIC, users as CALLED'),
      results: counts.describe('Pushes by outcome: sent, refused, dead, dropped'),
    }),
    calls: z.array(webhookDelivery).describe("Calls to the room's webhook and to PUSH_GENERIC"),
    readBy: z.object({
      totalCount: count,
      data: z.array(userId).describe('At most 1,000, earliest joined first'),
    }),
  }),
  errors: ['MESSAGE_NOT_FOUND'],
  example: {
    result: {
      message: '66f0c1a2b3c4d5e6f7a8b9c0',
      room: 'demo-room',
      sender: 'alice',
      seq: 12,
      isDeleted: false,
      accepted: { atMS: 1_795_176_000_000, request: 'req-1' },
      published: { atMS: 1_795_176_000_004, streamSeq: 4_711 },
      flushed: true,
      deliveries: [{ node: 'realtime-1', sockets: 2, atMS: 1_795_176_000_005 }],
      silentNodes: [],
      push: { recorded: true, members: { SENDER: 1, NO_DEVICE: 1 }, devices: { DUE: 1 }, results: { sent: 1 } },
      calls: [],
      readBy: { totalCount: 1, data: ['bob'] },
    },
  },
})
