import { z } from 'zod'
import { timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

export const listConnections = operation('listConnections', 'GET /admin/clients/:client_id/connections', {
  tag: 'Users and tokens',
  summary: 'List the connected devices of a user',
  description: 'Queries all realtime nodes. Connections of nodes in `silentNodes`, which did not respond, are missing.',
  access: 'admin',
  scope: 'users:read',
  params: z.object({ client_id: userId }),
  result: z.object({
    data: z.array(
      z.object({
        deviceId: z.string().describe('`deviceId` of auth2, or else the socket ID'),
        node: z.string(),
        transport: z.enum(['websocket', 'polling']),
        sinceMS: timeMS.describe('When the device authenticated'),
        lastSeenMS: timeMS.describe('When the device last sent anything, heartbeats included'),
        userAgent: z.string(),
        clientVersion: z.string().optional().describe('`auth.clientVersion` of the connection'),
      }),
    ),
    silentNodes: z.array(z.string()).describe('Nodes that did not respond in time'),
  }),
  errors: ['CLIENT_NOT_FOUND'],
  example: {
    result: {
      data: [
        {
          deviceId: 'phone',
          node: 'realtime-1',
          transport: 'websocket',
          sinceMS: 1_795_176_000_000,
          lastSeenMS: 1_795_176_020_000,
          userAgent: 'Chat/2.3 (iOS 19)',
          clientVersion: '2.3.0',
        },
      ],
      silentNodes: [],
    },
  },
})
