import { watchOutage } from '@parley/async/outage'
import type { Presence } from '@parley/presence/connect'
import { forgetConnections, nodeTtlMS, reportConnections } from '@parley/presence/connection-counts'
import type { Logger } from '@parley/service/log'
import { createKnownPeaks } from './known-peaks.ts'

/**
 * Reports this node's connections per app to Redis: every change immediately. Changes during a report are combined, the
 * highest first, so that no peak is lost. All counts are repeated regularly, which keeps the node alive in Redis. Starts by
 * deleting the reports of an earlier process with the node's name, as soon as Redis is available.
 */
export async function createConnectionReports(presence: Presence, node: string, log: Logger) {
  /** Zero stays until Redis has it. */
  const current = new Map<string, number>()
  const waiting = new Map<string, { highest: number; latest: number; reported: PromiseWithResolvers<void> }>()
  const inFlight = new Map<string, Promise<void>>()
  const peaks = createKnownPeaks(presence, log)
  const outage = watchOutage((error) => log.warn({ err: error }, 'connection count not reported; trying again'))

  async function reportOne(app: string, count: number): Promise<void> {
    peaks.reported(app, count, await reportConnections(presence, node, app, count))
  }

  async function send(app: string): Promise<void> {
    for (let next = waiting.get(app); next; next = waiting.get(app)) {
      waiting.delete(app)
      const { highest, latest, reported } = next
      inFlight.set(app, reported.promise)
      try {
        // Skip values not above Redis's peak: reporting them late would inflate it.
        if (highest > Math.max(latest, peaks.ownOf(app))) await reportOne(app, highest)
        await reportOne(app, latest)
        outage.ended()
        if (latest === 0 && current.get(app) === 0) current.delete(app)
      } catch (error) {
        peaks.missed(app, highest)
        outage.failed(error as Error)
      }
      reported.resolve()
    }
    inFlight.delete(app)
  }

  function report(app: string, count: number): void {
    const before = waiting.get(app)
    const reported = before?.reported ?? Promise.withResolvers<void>()
    waiting.set(app, { highest: Math.max(before?.highest ?? count, count), latest: count, reported })
    if (!inFlight.has(app)) void send(app)
  }

  function reportAll(): void {
    for (const [app, count] of current) report(app, count)
  }

  async function reported(app: string): Promise<void> {
    await (waiting.get(app)?.reported.promise ?? inFlight.get(app))
  }

  const timer = setInterval(() => {
    peaks.tend()
    reportAll()
  }, nodeTtlMS / 3)
  const forget = forgetOnce(presence, node, log)
  await forget()

  return {
    changed(app: string, count: number) {
      current.set(app, count)
      report(app, count)
    },
    /** Resolves when Redis has the current count of the app, or is away. */
    reported,
    /** Redis may have lost its data. Resolves when it has the counts and the known peaks again, or is away. */
    async reportAgain() {
      const arePeaksReported = peaks.reportAgain()
      await forget()
      reportAll()
      await Promise.all([arePeaksReported, ...[...current.keys()].map(reported)])
    },
    /** Reports zero for everything and ends. */
    async stop() {
      clearInterval(timer)
      while (inFlight.size > 0) await Promise.all(inFlight.values())
      await Promise.all([...current.keys()].map((app) => reportConnections(presence, node, app, 0)))
    },
  }
}

/** Makes the function that deletes the reports of an earlier process; it does nothing once that has succeeded. */
function forgetOnce(presence: Presence, node: string, log: Logger): () => Promise<void> {
  let isForgotten = false
  return async () => {
    try {
      if (!isForgotten) await forgetConnections(presence, node)
      isForgotten = true
    } catch (error) {
      log.warn({ err: error }, 'connections of an earlier process of this node not deleted; trying again')
    }
  }
}
