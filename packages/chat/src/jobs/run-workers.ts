import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { sharedPoll } from '@parley/bus/shared-poll'
import { type WorkPoll, workPoll } from '@parley/contracts/bus/polls'
import { pollSubject } from '@parley/contracts/bus/subjects'
import type { Db } from '@parley/db/connect'
import { findDueWork, type WorkKind, workKinds } from '@parley/db/due-work'
import { abandonedAfterMS, endAbandoned } from '@parley/db/transactions/transaction'
import type { Log } from '../ports.ts'

/** Background work that any number of processes may do. */
export interface Worker {
  /** Runs when work of one of these kinds is due. */
  kinds: readonly WorkKind[]
  work: (signal: AbortSignal) => Promise<unknown>
  onError: (error: Error) => void
}

/** Work that repeats a step until the step finds nothing more to do, or the signal aborts. */
export function untilDone(step: (signal: AbortSignal) => Promise<boolean>): Worker['work'] {
  return async (signal) => {
    while (!signal.aborted && (await step(signal))) continue
  }
}

interface WorkerParts {
  db: Db
  bus: Bus
  log: Log
}

/** Other processes begin within this time after the one that found the work, which has then taken some of it. */
const othersWithinMS = 200
/** Work due later than this is found by a regular poll. */
const soonMS = 2_000

const nameIn = ({ mongo }: Db) => `work ${mongo.databaseName}`

/**
 * Runs workers when they have work due, until the signal aborts. One process at a time polls for work, once a second,
 * and notifies the others over the bus. Work that becomes due within the second starts on time.
 */
export async function runWorkers(
  { db, bus, log }: WorkerParts,
  workers: readonly Worker[],
  signal: AbortSignal,
): Promise<void> {
  const runners = workers.map((worker) => ({ kinds: worker.kinds, ...createRunner(worker, signal) }))
  const begin = (due: WorkPoll['due'], delayMS: number) => {
    for (const { kinds, beginAt } of runners) {
      const times = kinds.flatMap((kind) => due[kind] ?? [])
      if (times.length > 0) beginAt(Math.min(...times), delayMS)
    }
  }
  const own = new Set<string>(workers.flatMap(({ kinds }) => kinds))
  const onError = (error: Error) => log.warn({ err: error }, 'due work not looked up; trying again')
  let endedAtMS = Number.NEGATIVE_INFINITY
  const endInTime = async () => {
    if (performance.now() < endedAtMS + abandonedAfterMS) return
    endedAtMS = performance.now()
    await endAbandoned(db)
  }
  const shared = {
    name: nameIn(db),
    schema: workPoll,
    async poll() {
      // Writes outside transactions wait for those of killed processes too, and cannot end them.
      const [due] = await Promise.all([findDueWork(db), endInTime()])
      begin(due, 0)
      return { kinds: workKinds, due }
    },
    isEnough({ kinds, due }: WorkPoll) {
      begin(due, Math.random() * othersWithinMS)
      return own.isSubsetOf(new Set(kinds))
    },
  }
  await sharedPoll(bus, shared, { onError, signal })
  await Promise.all(runners.map(({ ended }) => ended()))
}

/** Announces work to the processes with this worker if it is due before their next poll. */
export function announceDue({ db, bus }: Pick<WorkerParts, 'db' | 'bus'>, kind: WorkKind, atMS: number): void {
  if (atMS > clock.now() + soonMS || !bus.connected) return
  bus.nats.publish(
    pollSubject(nameIn(db), 'announced'),
    JSON.stringify({ kinds: [], due: { [kind]: atMS } } satisfies WorkPoll),
  )
}

function createRunner({ work, onError }: Worker, signal: AbortSignal) {
  let running: Promise<void> | undefined
  let isDue = false
  let next: { atMS: number; timer: NodeJS.Timeout } | undefined
  signal.addEventListener('abort', () => clearTimeout(next?.timer), { once: true })

  async function run(): Promise<void> {
    do {
      isDue = false
      try {
        await work(signal)
      } catch (error) {
        onError(error as Error)
      }
    } while (isDue && !signal.aborted)
    running = undefined
  }

  return {
    /** Work already due during a run is left to that run, or to the next poll. */
    beginAt: (dueMS: number, delayMS: number): void => {
      const waitMS = Math.max(0, dueMS - clock.now()) + delayMS
      const atMS = performance.now() + waitMS
      if (signal.aborted || (running && dueMS <= clock.now()) || (next && next.atMS <= atMS)) return
      clearTimeout(next?.timer)
      const timer = setTimeout(() => {
        next = undefined
        if (running) isDue = true
        else running = run()
      }, waitMS)
      next = { atMS, timer }
    },
    ended: async () => running,
  }
}
