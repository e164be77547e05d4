import type { Db } from '@parley/db/connect'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { eachApart } from '@parley/db/sending/each-apart'
import type { UserDoc } from '@parley/db/users/users'
import { LRUCache } from 'lru-cache'
import type { Outbox } from '../../events/outbox.ts'
import type { Log } from '../../ports.ts'
import { afterResponses, eventsOf, publishAppended } from './publish-appended.ts'
import { type AtPoint, settle, type Unsettled } from './settle-appended.ts'
import { createWaitingWork } from './waiting-work.ts'

const againAfterMS = 1_000
/** A room in use is settled far more often. */
const rememberMS = 5_000

/** Publishes and settles what this process has appended to tails. */
export interface Settler {
  /** What was appended, and the profiles of its senders by key(app, user). */
  take(append: TailAppend, senders: ReadonlyMap<string, UserDoc>): void
  /** Settles when everything that was taken is settled, or could not be: then the relay does it. */
  drained(): Promise<void>
}

export function createSettler(
  { db, outbox, log }: { db: Db; outbox: Outbox; log: Log },
  at: AtPoint = () => undefined,
): Settler {
  const waiting = createWaitingWork()
  let running: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let notBeforeMS = 0
  const publish = afterResponses((one, senders) => publishAppended({ outbox, at }, one, senders))
  const countedUpTo = new LRUCache<string, number>({ max: 10_000, ttl: rememberMS })

  function schedule(dueInMS: number): void {
    if (running) return
    const afterMS = Math.max(dueInMS, notBeforeMS - performance.now())
    if (timer && afterMS > 0) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(() => waiting.takeDue()), afterMS)
  }

  function run(take: () => Unsettled[][]): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    running ??= settleByRoom(take()).finally(() => {
      running = undefined
    })
    return running
  }

  async function settleByRoom(byRoom: readonly Unsettled[][]): Promise<boolean> {
    const parts = { db, outbox, at, countedUpTo }
    const { failed, error } = await eachApart(byRoom, (some) => settle(parts, some.flat()))
    if (failed.length === 0) {
      if (!waiting.isEmpty) setImmediate(() => schedule(waiting.dueInMS()))
      return true
    }
    log.warn({ err: error }, 'messages are not settled yet; trying again')
    const later = waiting.takeAll()
    for (const one of [...failed, ...later].flat()) waiting.add(one)
    notBeforeMS = performance.now() + againAfterMS
    setImmediate(schedule, againAfterMS)
    return false
  }

  return {
    take(append, senders) {
      void at('written')
      const one: Unsettled = { append, events: eventsOf(append), isPublished: false }
      publish(one, senders)
      waiting.add(one)
      schedule(waiting.dueInMS())
    },
    async drained() {
      while (running || !waiting.isEmpty) if (!(await run(() => waiting.takeAll()))) break
      clearTimeout(timer)
    },
  }
}
