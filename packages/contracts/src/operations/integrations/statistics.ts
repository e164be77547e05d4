import { z } from 'zod'
import { isoTime, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { timeParameter } from '../../time-parameter.ts'

/** The longest window of a report. */
export const maxReportDays = 31

/** As far as a Date goes. */
const latestS = 8_640_000_000_000
const unixSeconds = z.coerce.number().int().min(0).max(latestS).optional().describe('Unix seconds').meta(ours)
const time = timeParameter.optional().meta(ours)

export const getStats = operation({
  id: 'getStats',
  method: 'GET',
  path: '/admin/stats',
  tag: 'Monitoring',
  summary: 'Statistics of a window',
  description: `By default of the most recent 3600 seconds; \`start\` and \`end\`, or \`startTime\` and \`endTime\`, choose another of at most ${maxReportDays} days.`,
  access: 'platform',
  scope: 'stats:read',
  form: 'envelope',
  headers: z.looseObject({ 'im-api-key': z.string().default('') }),
  query: z.object({ start: unixSeconds, end: unixSeconds, startTime: time, endTime: time }),
  result: z.object({
    clientKey: z.string().describe('Sensitive; do not log'),
    apiKey: z.string().describe('The key of this call. Sensitive; do not log'),
    startTime: isoTime,
    endTime: isoTime,
    start: z.number().int().describe('Unix seconds'),
    end: z.number().int().describe('Unix seconds'),
    userList: z.array(userId).describe('Users active in the window: they sent or were connected'),
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

export const getConnectionCount = operation({
  id: 'getConnectionCount',
  method: 'GET',
  path: '/admin/connection-count',
  tag: 'Monitoring',
  summary: 'Current WebSocket connections',
  access: 'platform',
  scope: 'stats:read',
  form: 'envelope',
  result: z.object({ count: z.number().int() }),
  errors: [],
  example: { result: { count: 2 } },
})
