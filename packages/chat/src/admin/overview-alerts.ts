import type { Result } from '@parley/contracts/operation'
import type { readOverview } from '@parley/contracts/operations/admin/overview'
import { pushNetworkNames } from '@parley/contracts/resources/push/network'

type Overview = Result<typeof readOverview>
type Alert = Overview['alerts'][number]

/** Share of failures that raises an alert, and the minimum number of failures, since one of three may be chance. */
const maxFailing = 0.01
const fewestFailures = 10
/** Number of events that a consumer may be behind. */
const maxLag = 10_000

/** The faults in an overview, worst first. A pure function of the overview. */
export function alertsOf({ hour, deadCalls, processes = [], lag = {} }: Omit<Overview, 'alerts'>): Alert[] {
  const sum = (name: keyof Overview['hour'][number]['figures']) =>
    hour.reduce((all, { figures }) => all + figures[name], 0)
  const silent = processes.filter(({ isSilent }) => isSilent)
  const versions = new Set(processes.map(({ version }) => version))
  const refused = new Map(
    processes.flatMap(({ isSilent, credentials = [] }) =>
      isSilent
        ? []
        : credentials
            .filter(({ state }) => state === 'refused')
            .map((one) => [`${one.network} ${one.app ?? ''}`, one] as const),
    ),
  )
  const failing = (code: Alert['code'], what: string, failed: number, all: number): Alert[] =>
    failed >= fewestFailures && failed > all * maxFailing
      ? [{ code, reason: `${failed} of ${all} ${what} failed in the last hour` }]
      : []
  return [
    ...silent.map(({ service, node }) => ({
      code: 'PROCESS_SILENT' as const,
      reason: `${service} ${node} has stopped reporting: it was killed, or cannot reach Redis`,
    })),
    ...[...refused.values()].map(({ network, app, name, lastError = '' }) => ({
      code: 'CREDENTIALS_REFUSED' as const,
      reason:
        app === undefined
          ? `${pushNetworkNames[network]} refuses the credentials (${name}): ${lastError}. Nothing is sent to it`
          : `${pushNetworkNames[network]} rejects nearly all devices of the app ${app}: ${lastError}. Nothing is sent to them, and no token is removed`,
    })),
    ...failing('REQUESTS_FAIL', 'requests', sum('failedRequests') + sum('failedEmits'), sum('requests') + sum('emits')),
    ...failing('PUSHES_FAIL', 'pushes', sum('failedPushes'), sum('pushes') + sum('failedPushes')),
    ...failing('CALLS_FAIL', 'call attempts', sum('failedCalls'), sum('calls') + sum('failedCalls')),
    ...(deadCalls > 0
      ? [
          {
            code: 'CALLS_DEAD' as const,
            reason: `${deadCalls} calls failed for good: retry them, or let them expire`,
          },
        ]
      : []),
    ...Object.entries(lag)
      .filter(([, waiting]) => waiting > maxLag)
      .map(([consumer, waiting]) => ({
        code: 'CONSUMER_LAGS' as const,
        reason: `the consumer ${consumer} is ${waiting} events behind`,
      })),
    ...(versions.size > 1
      ? [
          {
            code: 'VERSIONS_DIFFER' as const,
            reason: `processes run different versions: ${[...versions].toSorted().join(', ')}`,
          },
        ]
      : []),
  ]
}
