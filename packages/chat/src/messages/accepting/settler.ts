import type { Db } from '@parley/db/connect'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { eachApart } from '@parley/db/sending/each-apart'
import type { UserDoc } from '@parley/db/users/users'
import { LRUCache } from 'lru-cache'
import type { Outbox } from '../../events/outbox.ts'
import type { Log } from '../../ports.ts'
import { afterResponses, publishAppended } from './publish-appended.ts'
import { type AtPoint, settle, type Unsettled } from './settle-appended.ts'

/**
 * So long messages are gathered in tails before they are settled: a sender is counted, and a tail pulled, once for all of
 * them.
 */
const gatherMS = 200
/** So many, or so many bytes, are settled without waiting for more: each append writes the whole tail again. */
const enough = { messages: 1_000, bytes: 512 * 1024 }
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
  let waiting: Unsettled[] = []
  let messages = 0
  let bytes = 0
  let running: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  const publish = afterResponses((one, senders) => publishAppended({ outbox, at }, one, senders))
  const countedUpTo = new LRUCache<string, number>({ max: 10_000, ttl: rememberMS })

  const waitMS = () => (messages >= enough.messages || bytes >= enough.bytes ? 0 : gatherMS)

  function schedule(afterMS: number): void {
    if (running) return
    if (timer && afterMS > 0) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(), afterMS)
  }

  function run(): Promise<boolean> {
    clearTimeout(timer)
    timer = undefined
    running ??= settleWaiting().finally(() => {
      running = undefined
    })
    return running
  }

  async function settleWaiting(): Promise<boolean> {
    const work = waiting
    waiting = []
    messages = 0
    bytes = 0
    const byRoom = [...Map.groupBy(work, ({ append }) => append.room._id).values()]
    const parts = { db, outbox, at, countedUpTo }
    const { failed, error } = await eachApart(byRoom, (some) => settle(parts, some.flat()))
    if (failed.length === 0) {
      if (waiting.length > 0) setImmediate(schedule, waitMS())
      return true
    }
    log.warn({ err: error }, 'messages are not settled yet; trying again')
    waiting = [...failed.flat(), ...waiting]
    setImmediate(schedule, againAfterMS)
    return false
  }

  return {
    take(append, senders) {
      void at('written')
      const events = append.messages.map(({ message }) => {
        return { kind: 'message' as const, message: message._id, event: 'chat message' as const }
      })
      const one: Unsettled = { append, events, isPublished: false }
      publish(one, senders)
      waiting.push(one)
      messages += events.length
      bytes += append.bytes
      schedule(waitMS())
    },
    async drained() {
      while (running || waiting.length > 0) if (!(await run())) break
      clearTimeout(timer)
    },
  }
}
