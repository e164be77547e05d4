import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Presence } from './connect.ts'

/** The state of a push network's credentials at a process: never the credentials. */
export interface CredentialsState {
  network: 'apns' | 'fcm' | 'web' | 'hms' | 'relay'
  /** `refused` for the devices of this app alone. */
  app?: string
  state: 'untried' | 'accepted' | 'refused'
  /** Names the credentials, such as a key ID. */
  name: string
  sinceMS: number
  lastError?: string
  lastErrorAtMS?: number
}

/** The report of a Parley process about itself. */
export interface ProcessReport {
  service: string
  node: string
  version: string
  startedAtMS: number
  /** When it reported last, by its own clock. */
  atMS: number
  /** Resident set size. */
  memoryBytes: number
  /** CPU time since the last report, of one core: 1 is a whole core. */
  cpu: number
  /** Of the push service. */
  credentials?: CredentialsState[]
}

/** `{parley}:processes`: a hash of service and node → JSON. */
const processesKey = '{parley}:processes'
const reportEveryMS = 5_000
/** After this long without a report a process is silent. */
export const silentAfterMS = 15_000
/** After this long it is forgotten. */
const forgottenAfterMS = 10 * 60_000

type Own = Pick<ProcessReport, 'service' | 'node' | 'version'>

/**
 * Reports this process to Redis every few seconds, and removes it at the stop.
 * @param more what else it reports, asked each time
 */
export function reportProcess(
  { redis }: Presence,
  own: Own,
  more: () => Pick<ProcessReport, 'credentials'>,
  onError: (error: Error) => void,
): { stop(): Promise<void> } {
  const field = `${own.service}\0${own.node}`
  const startedAtMS = clock.now()
  let [cpuBefore, beforeMS] = [process.cpuUsage(), performance.now()]
  async function report(): Promise<void> {
    const { user, system } = process.cpuUsage(cpuBefore)
    const tookMS = performance.now() - beforeMS
    ;[cpuBefore, beforeMS] = [process.cpuUsage(), performance.now()]
    const cpu = tookMS === 0 ? 0 : Math.round((user + system) / tookMS / 10) / 100
    const memoryBytes = process.memoryUsage.rss()
    const said: ProcessReport = { ...own, startedAtMS, atMS: clock.now(), memoryBytes, cpu, ...more() }
    await redis.hset(processesKey, field, JSON.stringify(said))
  }
  const reporting = startRunning(reportEveryMS, report, onError)
  return {
    async stop() {
      await reporting.stop()
      if (redis.status === 'ready') await redis.hdel(processesKey, field)
    },
  }
}

/** The processes that reported in the last minutes, by service and node. Forgets the others. */
export async function readProcesses({ redis }: Presence): Promise<ProcessReport[]> {
  const found = Object.entries(await redis.hgetall(processesKey))
  const reports = found.map(([field, json]) => ({ field, report: JSON.parse(json) as ProcessReport }))
  const oldestMS = clock.now() - forgottenAfterMS
  const gone = reports.filter(({ report }) => report.atMS < oldestMS).map(({ field }) => field)
  if (gone.length > 0) await redis.hdel(processesKey, ...gone)
  return reports
    .map(({ report }) => report)
    .filter(({ atMS }) => atMS >= oldestMS)
    .sort((a, b) => (a.service === b.service ? (a.node < b.node ? -1 : 1) : a.service < b.service ? -1 : 1))
}
