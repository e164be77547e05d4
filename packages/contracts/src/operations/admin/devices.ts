import { z } from 'zod'
import { userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { pushDevice } from '../../resources/push/device.ts'
import { deviceId } from '../users/devices.ts'

export const listDevices = operation('listDevices', 'GET /admin/push/devices', {
  tag: 'Push',
  summary: 'List the push devices of the app or of a user',
  access: 'admin',
  scope: 'push:read',
  query: z.object({
    client: userId.optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: pageCursor,
  }),
  result: z.object({ data: z.array(pushDevice), cursor: nextCursor }),
  errors: ['INVALID_QUERY'],
  example: {
    query: { client: 'alice' },
    result: {
      data: [
        {
          ...{ client: 'alice', deviceId: 'phone-1', type: 'ios', fingerprint: '9f86d081884c' },
          updatedAt: '2026-11-20T12:00:00.000Z',
        },
      ],
    },
  },
})

export const removeDevice = operation('removeDevice', 'DELETE /admin/clients/:client_id/devices/:device', {
  tag: 'Push',
  summary: 'Unregister a push device of a user',
  access: 'admin',
  scope: 'push:write',
  audit: auditsParam('user', 'client_id'),
  params: z.object({ client_id: userId, device: deviceId }),
  result: z.object({ removed: z.number().int() }),
  example: { result: { removed: 1 } },
})
