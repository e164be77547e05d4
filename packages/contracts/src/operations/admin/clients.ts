import { z } from 'zod'
import { isoTime, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ban, block } from '../../resources/ban.ts'
import { pushDevice } from '../../resources/push/device.ts'
import { adminUser } from '../../resources/user.ts'
import { exampleBlock, exampleUser } from '../examples.ts'
import { listConnections } from '../users/connections.ts'

export const inspectUser = operation('inspectUser', 'GET /admin/clients/:client_id', {
  tag: 'Administration',
  summary: 'Get everything about a user',
  description:
    'For rooms, see GET /admin/clients/{client_id}/rooms. A `fingerprint` is the beginning of the SHA-256 digest of a token or device token.',
  access: 'admin',
  scope: 'users:read',
  params: z.object({ client_id: userId }),
  result: z.object({
    profile: adminUser,
    roomCount: z.number().int(),
    devices: z.array(pushDevice),
    tokens: z.array(
      z.object({
        fingerprint: z.string(),
        createdAt: isoTime,
        expirationDate: isoTime,
        lastUsedTime: isoTime.optional().describe('Last HTTP request, to the hour; for sockets, see `connections`'),
        isInForce: z.boolean().describe('Expired tokens are listed for 30 days'),
      }),
    ),
    connections: listConnections.result,
    bans: z.array(ban).describe('Bans in rooms: the latest 100, newest first'),
    blocks: z.array(block).describe('The first 100 users whom the user blocks'),
  }),
  errors: ['CLIENT_NOT_FOUND'],
  example: {
    result: {
      profile: exampleUser,
      roomCount: 1,
      devices: [],
      tokens: [
        {
          fingerprint: '9f86d081884c',
          createdAt: '2026-11-20T12:00:00.000Z',
          expirationDate: '2026-12-20T12:00:00.000Z',
          isInForce: true,
        },
      ],
      connections: { data: [], silentNodes: [] },
      bans: [{ ...exampleBlock, room: 'demo-room' }],
      blocks: [],
    },
  },
})
