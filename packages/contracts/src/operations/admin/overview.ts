import { z } from 'zod'
import { timeMS } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { pushNetwork } from '../../resources/push/network.ts'

const count = z.number().int()

/** The figures of an app (docs/reference/overview.md). */
const figures = z
  .object({
    messages: count,
    deliveries: count.describe('Events delivered, counted per socket'),
    requests: count.describe('HTTP requests by API keys and users'),
    refusedRequests: count.describe('4xx responses'),
    failedRequests: count.describe('5xx responses'),
    emits: count,
    refusedEmits: count,
    failedEmits: count,
    pushes: count.describe('Accepted by the push network'),
    failedPushes: count.describe('Refused by the push network, or given up'),
    calls: count.describe('2xx responses of room webhooks and PUSH_GENERIC'),
    failedCalls: count.describe('Failed attempts'),
  })
  .meta({ id: 'Figures', ...ours })

const series = z.array(
  z.object({ fromMS: timeMS, figures, peakConnections: count.describe('Peak of concurrent connections') }),
)

const credentials = z.object({
  network: pushNetwork,
  app: z
    .string()
    .optional()
    .describe('Set if `refused` only for this app, because nearly all its devices were rejected'),
  state: z.enum(['untried', 'accepted', 'refused']),
  name: z.string().describe('Key ID and team, or project'),
  sinceMS: timeMS.describe('When this state began'),
  lastError: z.string().optional(),
  lastErrorAtMS: timeMS.optional(),
})

const reported = z.object({
  service: z.string(),
  node: z.string(),
  version: z.string(),
  isSilent: z.boolean().describe('No report for 15 seconds; processes are removed after 10 minutes'),
  startedAtMS: timeMS,
  reportedAtMS: timeMS,
  memoryBytes: count.describe('Resident set size'),
  cpu: z.number().describe('CPU cores in use: 1 is one full core'),
  connections: count.optional().describe('Realtime nodes: connections of the app'),
  credentials: z.array(credentials).optional().describe('Push service: each configured network'),
})

const alert = z.object({
  code: z.enum([
    'PROCESS_SILENT',
    'VERSIONS_DIFFER',
    'CREDENTIALS_REFUSED',
    'REQUESTS_FAIL',
    'PUSHES_FAIL',
    'CALLS_FAIL',
    'CALLS_DEAD',
    'CONSUMER_LAGS',
  ]),
  reason: z.string().describe('An English sentence'),
})

export const readOverview = operation('readOverview', 'GET /admin/overview', {
  tag: 'Monitoring',
  summary: 'Get the app’s activity now, in the last hour and day, with processes and alerts',
  description:
    '`hour` is by minute and `day` by hour; the last element is the current, incomplete one. `processes` and `lag` cover all apps and need the platform permission; without it they are absent.',
  access: 'admin',
  scope: 'stats:read',
  result: z.object({
    nowMS: timeMS,
    connections: count,
    deadCalls: count.describe('Retained calls that failed permanently; at most 1,000'),
    hour: series,
    day: series,
    processes: z.array(reported).optional(),
    lag: z.record(z.string(), count).optional().describe('Stream events that each consumer has not received yet'),
    alerts: z.array(alert),
  }),
  example: {
    result: {
      nowMS: 1_795_176_000_000,
      connections: 2,
      deadCalls: 0,
      hour: [],
      day: [],
      processes: [
        {
          service: 'realtime',
          node: 'realtime-1',
          version: '0.1.0',
          isSilent: false,
          startedAtMS: 1_795_172_400_000,
          reportedAtMS: 1_795_175_998_000,
          memoryBytes: 120_000_000,
          cpu: 0.04,
          connections: 2,
        },
      ],
      lag: { push: 0, webhooks: 0, stats: 0 },
      alerts: [],
    },
  },
})
