import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { lookInTurns } from '@parley/bus/look-in-turns'
import { type WorkLook, workLook } from '@parley/contracts/bus/looks'
import { lookSubject } from '@parley/contracts/bus/subjects'
import type { Db } from '@parley/db/connect'
import { findDueWork, type WorkKind, workKinds } from '@parley/db/due-work'
import { abandonedAfterMS, endAbandoned } from '@parley/db/transactions/transaction'
import type { Log } from '../ports.ts'

/** Background work that any number of processes may do. */
export interface Duty {
  /** Runs when work of one of these kinds is due. */
  kinds: readonly WorkKind[]
  /** Does all due work. Not called again before it has settled. */
  work: (signal: AbortSignal) => Promise<unknown>
  /** Called on failure; the work is retried. */
  onError: (error: Error) => void
}

/** Work that repeats a step until the step finds nothing more to do, or the signal aborts. */
export function inSteps(step: (signal: AbortSignal) => Promise<boolean>): Duty['work'] {
  return async (signal) => {
    while (!signal.aborted && (await step(signal))) continue
  }
}

export interface KeepUpParts {
  db: Db
  bus: Bus
  log: Log
}

/** Other processes begin within this time after the one that found the work, which has then taken some of it. */
const othersWithinMS = 200
/** Work due later than this is found by a regular look. */
const soonMS = 2_000

const nameIn = ({ mongo }: Db) => `work ${mongo.databaseName}`

/**
 * Does these duties when work is due, until the signal aborts. One process at a time looks for work, once a second, and
 * the others hear of it over the bus. Work that becomes due within the second starts on time.
 */
export async function keepUp(
  { db, bus, log }: KeepUpParts,
  duties: readonly Duty[],
  signal: AbortSignal,
): Promise<void> {
  const runners = duties.map((duty) => ({ kinds: duty.kinds, ...createRunner(duty, signal) }))
  const begin = (due: WorkLook['due'], delayMS: number) => {
    for (const { kinds, beginAt } of runners) {
      const times = kinds.flatMap((kind) => due[kind] ?? [])
      if (times.length > 0) beginAt(Math.min(...times), delayMS)
    }
  }
  const own = new Set<string>(duties.flatMap(({ kinds }) => kinds))
  const onError = (error: Error) => log.warn({ err: error }, 'due work not looked up; trying again')
  let endedAtMS = Number.NEGATIVE_INFINITY
  const endInTime = async () => {
    if (performance.now() < endedAtMS + abandonedAfterMS) return
    endedAtMS = performance.now()
    await endAbandoned(db)
  }
  const shared = {
    name: nameIn(db),
    schema: workLook,
    async look() {
      // Writes outside transactions wait for those of killed processes too, and cannot end them.
      const [due] = await Promise.all([findDueWork(db), endInTime()])
      begin(due, 0)
      return { kinds: workKinds, due }
    },
    isEnough({ kinds, due }: WorkLook) {
      begin(due, Math.random() * othersWithinMS)
      return own.isSubsetOf(new Set(kinds))
    },
  }
  await lookInTurns(bus, shared, { onError, signal })
  await Promise.all(runners.map(({ ended }) => ended()))
}

/** Announces work to the processes with this duty if it is due before their next look. */
export function announceDue({ db, bus }: Pick<KeepUpParts, 'db' | 'bus'>, kind: WorkKind, atMS: number): void {
  if (atMS > clock.now() + soonMS || !bus.connected) return
  bus.nats.publish(
    lookSubject(nameIn(db), 'announced'),
    JSON.stringify({ kinds: [], due: { [kind]: atMS } } satisfies WorkLook),
  )
}

function createRunner({ work, onError }: Duty, signal: AbortSignal) {
  let running: Promise<void> | undefined
  let isDueAgain = false
  let next: { atMS: number; timer: NodeJS.Timeout } | undefined
  signal.addEventListener('abort', () => clearTimeout(next?.timer), { once: true })

  async function run(): Promise<void> {
    do {
      isDueAgain = false
      try {
        await work(signal)
      } catch (error) {
        onError(error as Error)
      }
    } while (isDueAgain && !signal.aborted)
    running = undefined
  }

  return {
    /** Work already due during a run is left to that run, or to the next look. */
    beginAt: (dueMS: number, delayMS: number): void => {
      const waitMS = Math.max(0, dueMS - clock.now()) + delayMS
      const atMS = performance.now() + waitMS
      if (signal.aborted || (running && dueMS <= clock.now()) || (next && next.atMS <= atMS)) return
      clearTimeout(next?.timer)
      const timer = setTimeout(() => {
        next = undefined
        if (running) isDueAgain = true
        else running = run()
      }, waitMS)
      next = { atMS, timer }
    },
    ended: async () => running,
  }
}
