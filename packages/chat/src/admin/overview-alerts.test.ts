import assert from 'node:assert/strict'
import { figureNames } from '@parley/presence/app-figures'
import { describe, test } from 'vitest'
import { alertsOf } from './overview-alerts.ts'

type Overview = Parameters<typeof alertsOf>[0]
type Process = NonNullable<Overview['processes']>[number]

const figuresOf = (some: object) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each name
  ({ ...Object.fromEntries(figureNames.map((name) => [name, 0])), ...some }) as Overview['hour'][number]['figures']
const overview = (some: Partial<Overview> & { figures?: object } = {}): Overview => {
  const { figures = {}, ...rest } = some
  const hour = [{ fromMS: 0, figures: figuresOf(figures), peakConnections: 0 }]
  return { nowMS: 0, connections: 0, deadCalls: 0, hour, day: [], ...rest }
}
const process = (some: Partial<Process> = {}): Process => ({
  ...{ service: 'push', node: 'p1', version: '1', isSilent: false, startedAtMS: 0, reportedAtMS: 0 },
  ...{ memoryBytes: 1, cpu: 0, ...some },
})
const refused = { network: 'apns' as const, state: 'refused' as const, name: 'key K', sinceMS: 0, lastError: '403' }
const ofTwoApps = [
  { ...refused, app: 'a' },
  { ...refused, app: 'b' },
]

const rows: [what: string, overview: Overview, codes: string[]][] = [
  ['nothing', overview(), []],
  ['a few failures', overview({ figures: { requests: 10, failedRequests: 9 } }), []],
  ['many failures of very many', overview({ figures: { requests: 100_000, failedRequests: 900 } }), []],
  ['many failures', overview({ figures: { requests: 500, emits: 400, failedEmits: 10 } }), ['REQUESTS_FAIL']],
  ['pushes', overview({ figures: { pushes: 5, failedPushes: 20 } }), ['PUSHES_FAIL']],
  ['calls', overview({ figures: { calls: 5, failedCalls: 20 }, deadCalls: 2 }), ['CALLS_FAIL', 'CALLS_DEAD']],
  [
    'a silent process',
    overview({ processes: [process({ isSilent: true, credentials: [refused] })] }),
    ['PROCESS_SILENT'],
  ],
  [
    'credentials refused to two processes',
    overview({ processes: [process({ credentials: [refused] }), process({ credentials: [refused] })] }),
    ['CREDENTIALS_REFUSED'],
  ],
  [
    'two apps stopped, each at two processes',
    overview({
      processes: [process({ credentials: ofTwoApps }), process({ credentials: ofTwoApps })],
    }),
    ['CREDENTIALS_REFUSED', 'CREDENTIALS_REFUSED'],
  ],
  ['two versions', overview({ processes: [process(), process({ version: '2' })] }), ['VERSIONS_DIFFER']],
  ['lag', overview({ lag: { push: 10_001, stats: 3 } }), ['CONSUMER_LAGS']],
]

describe('alerts of an overview', () => {
  for (const [what, given, codes] of rows) {
    test(`of ${what}: ${codes.join(', ') || 'none'}`, () => {
      const alerts = alertsOf(given)
      assert.deepEqual(
        alerts.map(({ code }) => code),
        codes,
      )
      assert.ok(alerts.every(({ reason }) => reason.length > 10))
    })
  }
})
