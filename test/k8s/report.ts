import type { Seen } from './load.ts'
import type { Use } from './resources.ts'
import type { Step } from './steps.ts'

export interface Done extends Seen {
  step: Step
  seconds: number
  remark?: string
}

export interface Run {
  /** How Parley was installed, in Markdown. */
  does: string
  /** Lines that describe the machine and cluster. */
  ground: string[]
  quiet: Seen
  done: Done[]
  resources: ReadonlyMap<string, Use>
  /** Pods with unrequested container restarts. */
  crashed: string[]
}

/** The p99 latency during a step may be this many times that without one. */
const mostSlower = 3

/** The missed goals, one sentence each. */
export function faultsOf({ quiet, done, crashed }: Run): string[] {
  const faults = done.flatMap((seen) => {
    const { step, lost, twice, reconnects, refused, unanswered, p99, slowest } = seen
    const says = (what: string) => `${step.name}: ${what}`
    const slower = p99 / quiet.p99
    return [
      ...(count(refused) > 0 ? [says(`${shown(refused)} in the place of 2xx`)] : []),
      ...(count(unanswered) > 0 && !step.mayKillCalls ? [says(`no response: ${shown(unanswered)}`)] : []),
      ...(lost > 0 ? [says(`${lost} messages lost`)] : []),
      ...(twice > 0 ? [says(`${twice} messages twice`)] : []),
      ...(reconnects > step.reconnects ? [says(`a client connected again ${reconnects} times`)] : []),
      ...(slower > mostSlower && !step.isControl
        ? [says(`p99 is ${slower.toFixed(1)} × the quiet one; ${shownSlowest(slowest)}`)]
        : []),
    ]
  })
  return [...faults, ...crashed.map((pod) => `${pod} was started again`)]
}

/** The table of steps and observations, in Markdown. */
export function tableOf({ quiet, done }: Run): string {
  const head = ['action', 's', 'sent', 'not 2xx', 'no response', 'lost', 'twice', 'reconnects', 'p50', 'p99', '×']
  const quietRow = [
    'nothing',
    '',
    String(quiet.sent),
    shown(quiet.refused),
    shown(quiet.unanswered),
    quiet.lost,
    quiet.twice,
  ]
  const rows = done.map(({ step, seconds, remark, ...seen }) => [
    remark ? `${step.title} (${remark})` : step.title,
    Math.round(seconds),
    seen.sent,
    shown(seen.refused),
    shown(seen.unanswered),
    seen.lost,
    seen.twice,
    `${seen.reconnects} (${seen.allReconnects})`,
    ms(seen.p50),
    ms(seen.p99),
    (seen.p99 / quiet.p99).toFixed(1),
  ])
  const first = [...quietRow, `${quiet.reconnects} (${quiet.allReconnects})`, ms(quiet.p50), ms(quiet.p99), '1']
  return markdown(head, [first, ...rows])
}

/** The peak use of each container, in Markdown. */
export function resourcesOf({ resources }: Run): string {
  const rows = [...resources].toSorted(([a], [b]) => a.localeCompare(b))
  if (rows.length === 0) return 'The cluster has no metrics-server: what the pods used was not measured.'
  return markdown(
    ['container', 'CPU, thousandths of a core', 'memory, MiB'],
    rows.map(([name, { cpu, memory }]) => [name, cpu, memory]),
  )
}

/** The content of docs/e2e-k8s.md. */
export function pageOf(run: Run): string {
  const faults = faultsOf(run)
  const verdict =
    faults.length === 0
      ? 'All of it is as wanted.'
      : `Not as wanted:\n\n${faults.map((fault) => `- ${fault}`).join('\n')}`
  return `# Kubernetes, under load

Written by \`npm run e2e:k8s\`, which ${run.does} in a cluster of its own, and does this to it while clients are connected and
messages are sent. Each client is a stock socket.io-client: of WebSocket, long-polling, and upgrading, in
turn. A send without a 2xx response is made again with its idempotency key.

${run.ground.map((line) => `- ${line}`).join('\n')}

${tableOf(run)}

*not 2xx*, *no response*: REST calls, by status and by cause. *lost*: acknowledged messages that a member did not get, live or by
fetching after a reconnect. *twice*: stored more often than sent. *reconnects*: of one client at most, and in brackets of all together. *p50*, *p99*: of
sends and badge reads, by a thread of their own, in milliseconds. Wanted: 0, 0, 0, 0, at most 1 per restart (2 where every pod is evicted), p99 at most ${mostSlower} × that of the first row.
In *pods that are not of Parley* nothing of Parley starts, stops or moves: it shows how starting processes slows calls on this machine.

${verdict}

## Resources of the pods

The most of any container of each name, every 15 s during the run.

${resourcesOf(run)}
`
}

/** `503: 2, 404: 1`, or `0`. */
function shown(counts: Record<string, number>): string {
  const entries = Object.entries(counts)
  return entries.length === 0 ? '0' : entries.map(([what, times]) => `${what}: ${times}`).join(', ')
}

/** The slowest calls, with their start relative to the step. */
function shownSlowest(slowest: Seen['slowest']): string {
  return `the slowest: ${slowest.map(({ afterS, ms: took }) => `${took} ms after ${afterS} s`).join(', ')}`
}

function count(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0)
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : value.toFixed(0)
}

function markdown(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
