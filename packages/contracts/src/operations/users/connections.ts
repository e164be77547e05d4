import { z } from 'zod'
import { timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'

export const listConnections = operation({
  id: 'listConnections',
  method: 'GET',
  path: '/admin/clients/:client_id/connections',
  tag: 'Users and tokens',
  summary: 'The devices of a user that are connected now',
  description:
    'Asked of all realtime nodes at this moment. Nodes that do not answer are named: their connections are missing.',
  access: 'admin',
  scope: 'users:read',
  form: 'envelope',
  params: z.object({ client_id: userId }),
  result: z.object({
    data: z.array(
      z.object({
        deviceId: z.string().describe('As in auth2; without one there, the ID of the socket'),
        node: z.string(),
        transport: z.enum(['websocket', 'polling']),
        sinceMS: timeMS.describe('When it authenticated'),
        lastSeenMS: timeMS.describe('When something was last heard of it, a heartbeat at least'),
        userAgent: z.string(),
        clientVersion: z.string().optional().describe('`auth.clientVersion` of the connection, if the client gave one'),
      }),
    ),
    silentNodes: z.array(z.string()).describe('Nodes that did not answer in time'),
  }),
  errors: ['CLIENT_NOT_FOUND'],
  extension: true,
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
