import { clock } from '@parley/async/clock'
import { runEvery } from '@parley/async/run-every'
import type { Db } from '@parley/db/connect'
import { measureClock } from '@parley/db/server/measure-clock'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'

const checkEveryMS = 2_000
/** A measurement holds for this long, unless it is off or this process's clock has stepped since. */
const holdsMS = 10_000
/** More than NTP adjusts it against the monotonic clock, which it adjusts as well. */
const stepMS = 50
const reportedMS = 2_000
/** Maximum clock offset at which a process is ready; leases tolerate it until the next measurement. */
const maxMS = 30_000

/** @throws if this process's clock is too far from MongoDB's */
export function checkClock(): void {
  if (Math.abs(clock.aheadMS()) > maxMS) throw new Error(aheadText())
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
  const measure = measureWhenDue(async () => {
    await measureClock(db.mongo)
    report()
  })
  // Errors mean that MongoDB is down, which /readyz and other log lines report.
  await runEvery(checkEveryMS, measure, { onError: () => undefined, signal })
}

/** @returns a function that measures unless the last measurement still holds */
export function measureWhenDue(measure: () => Promise<void>): () => Promise<void> {
  let measured: { atMS: number; wallMS: number } | undefined
  return async () => {
    const atMS = performance.now()
    const wallMS = Date.now() - atMS
    const holds = measured && atMS - measured.atMS < holdsMS && Math.abs(wallMS - measured.wallMS) < stepMS
    if (holds && Math.abs(clock.aheadMS()) <= reportedMS) return
    await measure()
    measured = { atMS, wallMS }
  }
}

function aheadText(): string {
  const seconds = clock.aheadMS() / 1_000
  return `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? 'ahead of' : 'behind'} MongoDB`
}
