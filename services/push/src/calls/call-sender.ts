import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import type { Wake } from '@parley/async/wake'
import type { Db } from '@parley/db/connect'
import {
  type CallLaneDoc,
  findDueLanes,
  type OutgoingCallDoc,
  returnLane,
  takeLanes,
} from '@parley/db/push/outgoing-calls'
import type { Logger } from '@parley/service/log'
import { LRUCache } from 'lru-cache'
import type { PushMetrics } from '../push-metrics.ts'
import type { CallOutcome } from './outgoing-call.ts'
import { createLaneWork } from './work-lane.ts'

export interface CallSenderParts {
  db: Db
  /** One try of a call. */
  deliver: (call: OutgoingCallDoc) => Promise<CallOutcome>
  /** Whether everything before the call in its lane is queued. */
  isNext: (call: OutgoingCallDoc) => Promise<boolean>
  timeoutMS: number
  /** How long a call is retried. */
  retryMS: number
  wake: Wake
  metrics: PushMetrics
  log: Logger
}

/** Calls in flight. */
const mostAtOnce = 400
/** Calls in flight to one server, so that one that hangs leaves places for the others; fewer after a failure. */
const mostPerTarget = 100
const mostPerFailing = 2
const lookEveryMS = 500
/** The pause after a failure on our side: the database or the bus is away. */
const faultPauseMS = 1_000

/**
 * Makes the waiting calls until the signal aborts: those of a lane in order, different lanes at the same time. A process
 * leases a lane; if it dies, another takes the lane over, with the same call and webhook-id.
 */
export async function runCallSender(parts: CallSenderParts, signal: AbortSignal): Promise<void> {
  const { db, timeoutMS, wake, metrics, log } = parts
  const leaseMS = timeoutMS + 10_000
  const inFlight = createInFlight()
  const targets = new Map<string, number>()
  const failing = new LRUCache<string, true>({ max: 10_000 })
  const onTried = (target: string, hasFailed: boolean) => {
    if (hasFailed) failing.set(target, true)
    else failing.delete(target)
  }
  const work = createLaneWork({ ...parts, leaseMS, onTried }, signal)

  /** The lanes that are due, as far as they and their targets have free places. */
  async function takeDue(): Promise<CallLaneDoc[]> {
    const counts = new Map(targets)
    const free = (target: string) => (failing.has(target) ? mostPerFailing : mostPerTarget) - (counts.get(target) ?? 0)
    const busy = [...counts.keys()].filter((target) => free(target) <= 0)
    const due = await findDueLanes(db, busy, mostAtOnce - inFlight.size)
    const chosen = due.filter(({ target }) => {
      if (free(target) <= 0) return false
      counts.set(target, (counts.get(target) ?? 0) + 1)
      return true
    })
    return chosen.length > 0 ? takeLanes(db, chosen, leaseMS) : []
  }

  async function begin(lane: CallLaneDoc): Promise<void> {
    countTarget(targets, lane.target, 1)
    const working = inFlight.add(workSafely(lane))
    metrics.inFlight.set({ network: 'calls' }, inFlight.size)
    await working
    countTarget(targets, lane.target, -1)
    metrics.inFlight.set({ network: 'calls' }, inFlight.size)
    wake.up()
  }

  async function workSafely(lane: CallLaneDoc): Promise<void> {
    try {
      await work(lane)
    } catch (error) {
      log.warn({ err: error, lane: lane._id }, 'calls of a lane not made; trying again')
      // Its lease expires, and then another process takes it over.
      await returnLane(db, lane, clock.now() + faultPauseMS).catch((cause: unknown) =>
        log.warn({ err: cause, lane: lane._id }, 'lane not returned; its lease expires'),
      )
    }
  }

  while (!signal.aborted) {
    if (inFlight.size >= mostAtOnce) {
      await inFlight.below(mostAtOnce)
      continue
    }
    const lanes = await takeDue().catch((error: unknown) => {
      log.warn({ err: error }, 'calls not read; trying again')
      return []
    })
    for (const lane of lanes) void begin(lane)
    if (lanes.length === 0) await wake.sleep(lookEveryMS, signal)
  }
  await inFlight.drained()
}

function countTarget(targets: Map<string, number>, target: string, by: 1 | -1): void {
  const count = (targets.get(target) ?? 0) + by
  if (count === 0) targets.delete(target)
  else targets.set(target, count)
}
