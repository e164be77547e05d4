import { clock } from '@parley/async/clock'
import { runEvery } from '@parley/async/run-every'
import type { Db } from '@parley/db/connect'
import { measureClock } from '@parley/db/measure-clock'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'

const measureEveryMS = 2_000
const reportedMS = 2_000
/** Maximum clock offset at which a process is ready; leases tolerate it until the next measurement. */
const mostMS = 30_000

/** @throws if this process's clock is too far from MongoDB's */
export function checkClock(): void {
  if (Math.abs(clock.aheadMS()) > mostMS) throw new Error(aheadText())
}

/** Compares this process's clock with MongoDB's until the signal aborts, and logs when it is off. */
export async function watchClock(
  { db, log, metrics }: { db: Db; log: Logger; metrics: Metrics },
  signal: AbortSignal,
): Promise<void> {
  metrics.gaugeOf('parley_clock_offset_seconds', 'How far the clock of the process is ahead of that of MongoDB', () => {
    return clock.aheadMS() / 1_000
  })
  let isReported = false
  const report = () => {
    const isOff = Math.abs(clock.aheadMS()) > reportedMS
    if (isOff && !isReported) log.error({ offset: aheadText() }, 'clock differs from that of MongoDB')
    if (!isOff && isReported) log.info('clock agrees with that of MongoDB')
    isReported = isOff
  }
  report()
  const measure = async () => {
    await measureClock(db.mongo)
    report()
  }
  // Errors mean that MongoDB is down, which /readyz and other log lines report.
  await runEvery(measureEveryMS, measure, { onError: () => undefined, signal })
}

function aheadText(): string {
  const seconds = clock.aheadMS() / 1_000
  return `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? 'ahead of' : 'behind'} MongoDB`
}
