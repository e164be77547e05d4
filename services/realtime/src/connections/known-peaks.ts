import { clock } from '@parley/async/clock'
import { watchOutage } from '@parley/async/outage'
import type { Presence } from '@parley/presence/connect'
import { heardWithinMS, type Reported, raisePeaks } from '@parley/presence/connection-counts'
import type { Logger } from '@parley/service/log'

/** Longer than stats services take to copy peaks to the database, including an outage of all of them. */
const keptMinutes = 60

interface KnownOfApp {
  /** The number of this node's connections that Redis certainly has. */
  own: number
  /** Those of the other nodes at this node's last report. */
  others: number
  reportedAtMS: number
  /** The highest total of each minute (minutes since 1970). */
  peaks: Map<number, number>
}

/** The peaks that a node knows: Redis can lose them before they are in the database, and gets none while it is away. */
export function createKnownPeaks(presence: Presence, log: Logger) {
  const apps = new Map<string, KnownOfApp>()
  let mayLackSome = false
  const outage = watchOutage((error) => log.warn({ err: error }, 'peaks of connections not reported; trying again'))

  function of(app: string): KnownOfApp {
    const known = apps.get(app) ?? { own: 0, others: 0, reportedAtMS: 0, peaks: new Map() }
    apps.set(app, known)
    return known
  }

  function raise({ peaks }: KnownOfApp, minute: number, peak: number): void {
    peaks.set(minute, Math.max(peak, peaks.get(minute) ?? 0))
  }

  async function reportPeaks(): Promise<void> {
    mayLackSome = false
    try {
      await Promise.all([...apps].map(([app, { peaks }]) => raisePeaks(presence, app, peaks)))
      outage.ended()
    } catch (error) {
      mayLackSome = true
      outage.failed(error as Error)
    }
  }

  return {
    /** Redis accepted a report of this node's connections. */
    reported(app: string, own: number, { heard, minute, peak }: Reported) {
      const known = of(app)
      Object.assign(known, { own, others: heard - own, reportedAtMS: performance.now() })
      raise(known, minute, peak)
    },
    /** The report failed: the peak is this node's count plus the others' last known ones. */
    missed(app: string, own: number) {
      const known = of(app)
      known.own = 0
      mayLackSome = true
      const isRecent = performance.now() - known.reportedAtMS < heardWithinMS
      raise(known, minuteNow(), own + (isRecent ? known.others : 0))
    },
    /** The number of this node's connections that Redis certainly has. */
    ownOf: (app: string) => apps.get(app)?.own ?? 0,
    /** Redis may have lost its data. Settles when it has the peaks again, or is away. */
    reportAgain() {
      for (const known of apps.values()) known.own = 0
      return reportPeaks()
    },
    /** Called periodically: reports peaks that Redis may lack, and forgets old ones. */
    tend() {
      const firstMinute = minuteNow() - keptMinutes
      for (const [app, { peaks }] of apps) {
        for (const minute of peaks.keys()) if (minute < firstMinute) peaks.delete(minute)
        if (peaks.size === 0) apps.delete(app)
      }
      if (mayLackSome) void reportPeaks()
    },
  }
}

const minuteNow = () => Math.floor(clock.now() / 60_000)
