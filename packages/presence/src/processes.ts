import { clock } from '@parley/async/clock'
import type { OutageWatch } from '@parley/async/outage'
import { startRunning } from '@parley/async/run-every'
import { type Presence, whilePresent } from './connect.ts'

/** The state of a push network's credentials in a process. Never contains the credentials. */
export interface CredentialsState {
  network: 'apns' | 'fcm' | 'web' | 'hms' | 'relay'
  /** Set if `refused` applies to the devices of this app only. */
  app?: string
  state: 'untried' | 'accepted' | 'refused'
  /** Names the credentials, such as a key ID. */
  name: string
  sinceMS: number
  lastError?: string
  lastErrorAtMS?: number
}

/** A Parley process's report about itself. */
export interface ProcessReport {
  service: string
  node: string
  version: string
  startedAtMS: number
  /** When the process last reported, by its own clock. */
  atMS: number
  /** Resident set size. */
  memoryBytes: number
  /** CPU usage since the last report: 1 is one core. */
  cpu: number
  /** Reported by the push service. */
  credentials?: CredentialsState[]
}

/** `{parley}:processes`: a hash of service and node → JSON. */
const processesKey = '{parley}:processes'
const reportEveryMS = 5_000
/** A process counts as silent after this long without a report. */
export const silentAfterMS = 15_000
/** A process is removed after this long without a report. */
const forgottenAfterMS = 10 * 60_000

/** Reports this process to Redis every few seconds, and removes it on stop. @param more read for each report */
export function reportProcess(
  { redis }: Presence,
  own: Pick<ProcessReport, 'service' | 'node' | 'version'>,
  more: () => Pick<ProcessReport, 'credentials'>,
  { failed, ended }: OutageWatch,
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
    const current: ProcessReport = { ...own, startedAtMS, atMS: clock.now(), memoryBytes, cpu, ...more() }
    await redis.hset(processesKey, field, JSON.stringify(current))
    ended()
  }
  const reporting = startRunning(reportEveryMS, report, failed)
  return {
    async stop() {
      await reporting.stop()
      if (redis.status === 'ready') await whilePresent(redis.hdel(processesKey, field))
    },
  }
}

/** The processes that reported within the last ten minutes, sorted by service and node. Removes the others. */
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
