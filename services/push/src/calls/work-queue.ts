import { batchedWrites } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { keptCallData } from '@parley/chat/integrations/call-data'
import type { Db } from '@parley/db/connect'
import { idsOf } from '@parley/db/keys'
import type { CallQueueDoc, CallTry, OutgoingCallDoc } from '@parley/db/push/documents'
import {
  type DoneCall,
  deadLetterCalls,
  endQueue,
  findExpiredQueues,
  findNextCall,
  keepQueue,
  markCallsDone,
  markCallTried,
  markQueuesFailing,
  returnQueue,
  takeQueues,
} from '@parley/db/push/outgoing-calls'
import type { Logger } from '@parley/service/log'
import { pauseMS } from '../networks/network.ts'
import type { PushMetrics } from '../push-metrics.ts'
import type { CallOutcome } from './outgoing-call.ts'

export interface QueueWorkParts {
  db: Db
  /** Attempts a call once. */
  deliver: (call: OutgoingCallDoc) => Promise<CallOutcome>
  /** Whether everything before the call in its queue is queued. */
  isNext: (call: OutgoingCallDoc) => Promise<boolean>
  /** How long a call is retried. */
  retryMS: number
  metrics: PushMetrics
  log: Logger
  leaseMS: number
  onTried: (call: OutgoingCallDoc, outcome: CallOutcome) => void
}

/** Calls of one queue in a row, so that a busy queue gives others their turn. */
const perTurn = 20
const notNextMS = 25

/** Creates the function that works on a queue until it is empty, a call fails, its turn ends, or the signal aborts. */
export function createQueueWork(parts: QueueWorkParts, signal: AbortSignal): (queue: CallQueueDoc) => Promise<void> {
  const { db, deliver, isNext, leaseMS, metrics, onTried } = parts
  const markDone = batchedWrites((done: DoneCall[]) => markCallsDone(db, done), { max: 500 })

  return async (taken) => {
    let queue = taken
    for (let calls = 0; calls < perTurn && !signal.aborted; calls++) {
      const call = await findNextCall(db, queue._id)
      if (!call) return endQueue(db, queue)
      if (calls > 0 && !(await keepQueue(db, queue, leaseMS))) return
      if (!(await isNext(call))) return returnQueue(db, queue, clock.now() + notNextMS)
      // An earlier call may have been queued during the check.
      if ((await findNextCall(db, queue._id))?._id !== call._id) continue
      const outcome = await deliver(call)
      const reason = outcome.as === 'done' ? '' : outcome.reason
      metrics.results.inc({ network: call.kind, result: outcome.as, reason })
      onTried({ ...call, target: queue.target }, outcome)
      if (outcome.as === 'again') return scheduleRetry(parts, queue, call, outcome)
      queue = withoutFailures(queue)
      if (outcome.as === 'done') {
        const { isAnswered = false, notMade } = outcome
        const of = { id: call._id, data: keptCallData(call), isAnswered, ...lastTryOf(outcome) }
        await markDone({
          ...of,
          ...(notMade !== undefined && { notMade: { reason: notMade, queuedAtMS: call.createdAtMS } }),
        })
      } else await deadLetter(parts, call, outcome)
      // A retried call has a queue of its own.
      if (call.kind === 'push') return endQueue(db, queue)
    }
    await returnQueue(db, queue, clock.now())
  }
}

function withoutFailures(queue: CallQueueDoc): CallQueueDoc {
  const { failingSinceMS: _, ...rest } = queue
  return { ...rest, failures: 0 }
}

async function scheduleRetry(
  parts: QueueWorkParts,
  queue: CallQueueDoc,
  call: OutgoingCallDoc,
  outcome: CallOutcome & { as: 'again' },
): Promise<void> {
  const { reason, afterMS = 0 } = outcome
  const { db, retryMS, log } = parts
  const now = clock.now()
  const failingSinceMS = queue.failingSinceMS ?? now
  // Counted from the first failure: a call may have waited long behind others that were accepted slowly.
  const untilMS = Math.max(call.createdAtMS, failingSinceMS) + retryMS
  // Retry-After may exceed the retry period; the calls behind wait no longer than that period.
  const askedMS = Math.min(now + afterMS, untilMS - 1)
  const dueAtMS = Math.max(askedMS, now + pauseMS(queue.failures))
  if (dueAtMS < untilMS) {
    await markCallTried(db, call._id, { lastError: reason, ...lastTryOf(outcome) })
  } else {
    await deadLetter(parts, call, outcome)
    // Calls behind it that waited as long are dropped too: calls to a dead server must not pile up.
    const more = await deadLetterCalls(db, [queue._id], now - retryMS, reason, keptCallData)
    if (more > 0)
      log.warn({ app: call.app, room: call.room, more, reason }, 'more calls of the room failed permanently')
  }
  await returnQueue(db, { ...queue, failures: queue.failures + 1, failingSinceMS }, dueAtMS)
}

function lastTryOf({ lastTry }: CallOutcome): { lastTry?: CallTry } {
  return lastTry ? { lastTry } : {}
}

async function deadLetter(
  { db, log }: QueueWorkParts,
  call: OutgoingCallDoc,
  outcome: Exclude<CallOutcome, { as: 'done' }>,
): Promise<void> {
  const { reason } = outcome
  const { _id: id, app, room, event, kind, request } = call
  log.warn({ call: id, app, room, event, kind, reason, request }, 'call failed permanently: it is a dead letter now')
  await markCallTried(db, id, { lastError: reason, ...lastTryOf(outcome), deadWith: keptCallData(call) })
}

const expiredPerRound = 100

/** Records that a target is down. Its calls that have waited for the retry period become dead letters. */
export async function expireCalls(
  { db, retryMS, leaseMS, log }: Pick<QueueWorkParts, 'db' | 'retryMS' | 'leaseMS' | 'log'>,
  target: string,
  reason: string,
): Promise<void> {
  await markQueuesFailing(db, target)
  const dueByMS = clock.now()
  const beforeMS = dueByMS - retryMS
  for (let calls = 0; ; ) {
    const found = await findExpiredQueues(db, target, { dueByMS, beforeMS }, expiredPerRound)
    const queues = found.length > 0 ? await takeQueues(db, found, leaseMS) : []
    calls += await deadLetterCalls(db, idsOf(queues), beforeMS, reason, keptCallData)
    await Promise.all(
      queues.map(async (queue) =>
        (await findNextCall(db, queue._id)) ? returnQueue(db, queue, dueByMS + 1) : endQueue(db, queue),
      ),
    )
    if (found.length === expiredPerRound) continue
    if (calls > 0) log.warn({ target, calls, reason }, 'calls to a server that is down failed permanently')
    return
  }
}
