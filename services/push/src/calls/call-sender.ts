import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Wake } from '@parley/async/wake'
import type { CallQueueDoc } from '@parley/db/push/documents'
import { findDueQueues, findDueTargets, returnQueue, takeQueues } from '@parley/db/push/outgoing-calls'
import { createTargetStates } from './target-states.ts'
import { createQueueWork, expireCalls, type QueueWorkParts } from './work-queue.ts'

interface CallSenderParts extends Omit<QueueWorkParts, 'leaseMS' | 'onTried'> {
  timeoutMS: number
  wake: Wake
}

const maxInFlight = 1_000
/** Share of the free slots for one target, so that even many slow servers leave some for others. */
const maxOfFree = 1 / 4
const targetsPerRound = 50
/** Due work wakes it up earlier. */
const sleepMS = 30_000
/** Pause after a failure on our side: the database or the bus is unavailable. */
const faultPauseMS = 1_000

/**
 * Sends the waiting calls until the signal aborts: in order within a queue, queues concurrently. A process leases a queue.
 * If it dies, another one takes over the queue, with the same call and webhook-id.
 */
export async function runCallSender(parts: CallSenderParts, signal: AbortSignal): Promise<void> {
  const { db, timeoutMS, retryMS, wake, metrics, log } = parts
  const leaseMS = timeoutMS + 10_000
  const inFlight = createInFlight()
  const targets = new Map<string, number>()
  const states = createTargetStates(onDown, () => wake.up())
  const work = createQueueWork({ ...parts, leaseMS, onTried: states.tried }, signal)

  function onDown(target: string, reason: string, pauses: number): void {
    if (pauses === 1)
      log.warn({ target, reason }, 'server of an integrator is down: its calls wait for one that succeeds')
    const expiring = expireCalls({ db, retryMS, leaseMS, log }, target, reason).catch((error: unknown) =>
      log.warn({ err: error, target }, 'expired calls not given up; trying again'),
    )
    void inFlight.add(expiring)
  }

  /** Due queues for the free slots, in equal shares by target. */
  async function takeDue(): Promise<CallQueueDoc[]> {
    const free = maxInFlight - inFlight.size
    const waiting = (await findDueTargets(db))
      .map((target) => ({
        target,
        own: targets.get(target) ?? 0,
        max: states.max(target),
      }))
      .filter(({ own, max }) => own < max)
    const share = Math.max(1, Math.min(Math.floor(free / waiting.length), Math.ceil(free * maxOfFree)))
    const turns = waiting.toSorted((a, b) => a.own - b.own).slice(0, Math.min(free, targetsPerRound))
    const due = await Promise.all(
      turns.map(({ target, own, max }) => findDueQueues(db, target, Math.min(share, max - own))),
    )
    const chosen = due.flat()
    return chosen.length > 0 ? takeQueues(db, chosen, leaseMS) : []
  }

  async function begin(queue: CallQueueDoc): Promise<void> {
    countTarget(targets, queue.target, 1)
    const working = inFlight.add(workSafely(queue))
    metrics.inFlight.set({ network: 'calls' }, inFlight.size)
    await working
    countTarget(targets, queue.target, -1)
    metrics.inFlight.set({ network: 'calls' }, inFlight.size)
    wake.up()
  }

  async function workSafely(queue: CallQueueDoc): Promise<void> {
    try {
      await work(queue)
    } catch (error) {
      log.warn({ err: error, queue: queue._id }, 'calls of a queue not made; trying again')
      // Its lease expires, and then another process takes it over.
      await returnQueue(db, queue, clock.now() + faultPauseMS).catch((cause: unknown) =>
        log.warn({ err: cause, queue: queue._id }, 'queue not released; its lease expires'),
      )
    }
  }

  while (!signal.aborted) {
    if (inFlight.size >= maxInFlight) {
      await inFlight.below(maxInFlight)
      continue
    }
    const queues = await takeDue().catch((error: unknown) => {
      log.warn({ err: error }, 'calls not read; trying again')
      return []
    })
    for (const queue of queues) void begin(queue)
    if (queues.length === 0) await wake.sleep(sleepMS, signal)
  }
  await inFlight.drained()
}

function countTarget(targets: Map<string, number>, target: string, by: 1 | -1): void {
  const count = (targets.get(target) ?? 0) + by
  if (count === 0) targets.delete(target)
  else targets.set(target, count)
}
