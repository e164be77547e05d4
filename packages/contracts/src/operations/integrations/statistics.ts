import { z } from 'zod'
import { isoTime, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { timeParameter } from '../../time-parameter.ts'

/** Maximum window of a report. */
export const maxReportDays = 31

/** The latest time of a Date. */
const latestS = 8_640_000_000_000
const unixSeconds = z.coerce.number().int().min(0).max(latestS).optional().describe('Unix seconds').meta(ours)
const time = timeParameter.optional().meta(ours)

export const getStats = operation('getStats', 'GET /admin/stats', {
  inInterface: true,
  tag: 'Monitoring',
  summary: 'Get statistics for a time window',
  description: `Default: the last 3600 seconds. Choose another window of at most ${maxReportDays} days with \`start\` and \`end\`, or \`startTime\` and \`endTime\`.`,
  access: 'platform',
  scope: 'stats:read',
  headers: z.looseObject({ 'im-api-key': z.string().default('') }),
  query: z.object({ start: unixSeconds, end: unixSeconds, startTime: time, endTime: time }),
  result: z.object({
    clientKey: z.string().describe('Sensitive; do not log'),
    apiKey: z.string().describe('The calling key. Sensitive; do not log'),
    startTime: isoTime,
    endTime: isoTime,
    start: z.number().int().describe('Unix seconds'),
    end: z.number().int().describe('Unix seconds'),
    userList: z.array(userId).describe('Users who sent or were connected in the window'),
    roomCount: z.number().int().describe('Rooms with messages in the window'),
    totalRoomCount: z.number().int(),
    messageCount: z.number().int(),
    peakConnectionCount: z.number().int(),
    totalMem: z.number().int().describe('Host memory in bytes'),
    freeMem: z.number().int().describe('Available memory in bytes'),
  }),
  errors: ['INVALID_QUERY'],
  example: {
    query: { start: 1_795_172_400, end: 1_795_176_000 },
    result: {
      clientKey: 'demo-client-key',
      apiKey: 'demo-api-key',
      startTime: '2026-11-20T11:00:00.000Z',
      endTime: '2026-11-20T12:00:00.000Z',
      start: 1_795_172_400,
      end: 1_795_176_000,
      userList: ['alice', 'bob'],
      roomCount: 1,
      totalRoomCount: 3,
      messageCount: 42,
      peakConnectionCount: 2,
      totalMem: 8_589_934_592,
      freeMem: 4_294_967_296,
    },
  },
})

export const getConnectionCount = operation('getConnectionCount', 'GET /admin/connection-count', {
  inInterface: true,
  tag: 'Monitoring',
  summary: 'Get the number of current WebSocket connections',
  access: 'platform',
  scope: 'stats:read',
  result: z.object({ count: z.number().int() }),
  example: { result: { count: 2 } },
})
