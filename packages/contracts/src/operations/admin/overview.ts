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
    deliveries: count.describe('Events handed to sockets, counted once for each socket'),
    requests: count.describe('Over HTTP, by keys and users'),
    refusedRequests: count.describe('Answered with 4xx'),
    failedRequests: count.describe('Answered with 5xx'),
    emits: count,
    refusedEmits: count,
    failedEmits: count,
    pushes: count.describe('Taken by APNs or FCM'),
    failedPushes: count.describe('Refused by the network, or given up'),
    calls: count.describe('Answered with 2xx by room webhooks and PUSH_GENERIC'),
    failedCalls: count.describe('Failed tries'),
  })
  .meta({ id: 'Figures', ...ours })

const series = z.array(
  z.object({ fromMS: timeMS, figures, peakConnections: count.describe('The most at one moment of this time') }),
)

const credentials = z.object({
  network: pushNetwork,
  app: z.string().optional().describe('`refused` for the devices of this app alone, since nearly all were rejected'),
  state: z.enum(['untried', 'accepted', 'refused']),
  name: z.string().describe('Names the credentials: the key ID and team, or the project'),
  sinceMS: timeMS.describe('In this state since'),
  lastError: z.string().optional(),
  lastErrorAtMS: timeMS.optional(),
})

const reported = z.object({
  service: z.string(),
  node: z.string(),
  version: z.string(),
  isSilent: z.boolean().describe('It has not reported for 15 seconds; after 10 minutes it is forgotten'),
  startedAtMS: timeMS,
  reportedAtMS: timeMS,
  memoryBytes: count.describe('Resident set size'),
  cpu: z.number().describe('Of one core: 1 is a whole one'),
  connections: count.optional().describe("Of realtime nodes: the app's"),
  credentials: z.array(credentials).optional().describe('Of the push service: each network that is configured'),
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

export const readOverview = operation({
  id: 'readOverview',
  method: 'GET',
  path: '/admin/overview',
  tag: 'Monitoring',
  summary: 'Activity of the app now, in the last hour and the last day; processes; alerts',
  description:
    'The last hour by minutes, the last day by hours, the present one last and unfinished. `processes` and `lag` are of all apps, so they need the platform permission; without it they are absent.',
  access: 'admin',
  scope: 'stats:read',
  form: 'envelope',
  result: z.object({
    nowMS: timeMS,
    connections: count,
    deadCalls: count.describe('Calls that failed for good and are kept; counted to 1,000'),
    hour: series,
    day: series,
    processes: z.array(reported).optional(),
    lag: z.record(z.string(), count).optional().describe('Events of the stream that each consumer has not taken yet'),
    alerts: z.array(alert),
  }),
  errors: [],
  extension: true,
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
