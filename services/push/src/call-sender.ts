import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import {
  buryCalls,
  type CallLaneDoc,
  endLane,
  findDueLanes,
  findNextCall,
  keepLane,
  markCallsDone,
  markCallTried,
  type OutgoingCallDoc,
  returnLane,
  takeLanes,
} from '@parley/db/outgoing-calls'
import type { Logger } from '@parley/service/log'
import { LRUCache } from 'lru-cache'
import { pauseMS } from './network.ts'
import type { CallOutcome } from './outgoing-call.ts'
import type { PushMetrics } from './push-metrics.ts'
import type { Wake } from './wake.ts'

export interface CallSenderParts {
  db: Db
  /** One try of a call. */
  deliver: (call: OutgoingCallDoc) => Promise<CallOutcome>
  /** Whether everything that comes before the call in its lane is known. */
  isNext: (call: OutgoingCallDoc) => Promise<boolean>
  timeoutMS: number
  /** For so long a call is tried again. */
  retryMS: number
  wake: Wake
  metrics: PushMetrics
  log: Logger
}

/** Calls under way at once. */
const mostAtOnce = 400
/** And to one server: a server that hangs leaves places for the others; after a failure it is given few. */
const mostPerTarget = 100
const mostPerFailing = 2
/** Calls of one lane in a row, so that a busy one lets others have their turn. */
const perTurn = 20
const lookEveryMS = 500
const notNextMS = 25
/** After a failure that is ours: the database or the bus is away. */
const faultPauseMS = 1_000
const longestPauseMS = 5 * 60 * 1_000

/**
 * Makes, until the signal aborts, the calls that wait: lane after lane in order, different lanes at the same time. Who
 * takes a lane has it alone for a while; if he dies, another takes it up with the same call and webhook-id.
 */
export async function runCallSender(parts: CallSenderParts, signal: AbortSignal): Promise<void> {
  const { db, timeoutMS, retryMS, wake, metrics, log } = parts
  const leaseMS = timeoutMS + 10_000
  const underWay = new Map<Promise<void>, string>()
  const failing = new LRUCache<string, true>({ max: 10_000 })

  const markDone = gather(
    async (ids: string[]) => {
      await markCallsDone(db, ids)
      return ids
    },
    { most: 500 },
  )

  /** Works on a lane until it is empty, a call fails, or its turn is over. */
  async function work(lane: CallLaneDoc): Promise<void> {
    let { failures } = lane
    for (let calls = 0; calls < perTurn && !signal.aborted; calls++) {
      const call = await findNextCall(db, lane._id)
      if (!call) return endLane(db, lane)
      if (calls > 0 && !(await keepLane(db, lane, leaseMS))) return
      if (!(await parts.isNext(call))) return returnLane(db, lane, Date.now() + notNextMS, failures)
      const outcome = await parts.deliver(call)
      const reason = outcome.as === 'done' ? '' : outcome.reason
      metrics.results.inc({ network: call.kind, result: outcome.as, reason })
      if (outcome.as === 'again') {
        failing.set(lane.target, true)
        return fail(lane, call, outcome, failures)
      }
      failing.delete(lane.target)
      failures = 0
      if (outcome.as === 'done') await markDone(call._id)
      else await bury(call, outcome.reason)
      // It has its lane for itself.
      if (call.kind === 'push') return endLane(db, lane)
    }
    await returnLane(db, lane, Date.now(), failures)
  }

  async function fail(
    lane: CallLaneDoc,
    call: OutgoingCallDoc,
    { reason, afterMS = 0 }: CallOutcome & { as: 'again' },
    failures: number,
  ): Promise<void> {
    const now = Date.now()
    const dueAtMS = now + Math.max(afterMS, pauseMS(failures, longestPauseMS))
    if (dueAtMS < call.createdAtMS + retryMS) await markCallTried(db, call._id, reason, false)
    else {
      await bury(call, reason)
      // What came after it has waited as long: a server that is gone for good does not pile up calls for ever.
      const more = await buryCalls(db, lane._id, now - retryMS, reason)
      if (more > 0) log.warn({ room: call.room, more, reason }, 'calls given up with the one before them')
    }
    await returnLane(db, lane, dueAtMS, failures + 1)
  }

  async function bury(call: OutgoingCallDoc, reason: string): Promise<void> {
    const { _id: id, app, room, event, kind, request } = call
    log.warn({ call: id, app, room, event, kind, reason, request }, 'call given up: it is a dead letter now')
    await markCallTried(db, id, reason, true)
  }

  /** Lanes that are due, as far as there are free places for them and for their targets. */
  async function takeDue(): Promise<CallLaneDoc[]> {
    const counts = new Map<string, number>()
    for (const target of underWay.values()) counts.set(target, (counts.get(target) ?? 0) + 1)
    const free = (target: string) => (failing.has(target) ? mostPerFailing : mostPerTarget) - (counts.get(target) ?? 0)
    const busy = [...counts.keys()].filter((target) => free(target) <= 0)
    const due = await findDueLanes(db, busy, mostAtOnce - underWay.size)
    const chosen = due.filter(({ target }) => {
      if (free(target) <= 0) return false
      counts.set(target, (counts.get(target) ?? 0) + 1)
      return true
    })
    return chosen.length > 0 ? takeLanes(db, chosen, leaseMS) : []
  }

  function begin(lane: CallLaneDoc): void {
    const working = work(lane)
      .catch(async (error: unknown) => {
        log.warn({ err: error, room: lane._id }, 'lane not worked on; later again')
        await returnLane(db, lane, Date.now() + faultPauseMS, lane.failures)
      })
      // Its lease ends by itself, and then somebody takes it up.
      .catch((error: unknown) => log.warn({ err: error, room: lane._id }, 'lane not given back'))
      .finally(() => {
        underWay.delete(working)
        metrics.inFlight.set({ network: 'calls' }, underWay.size)
        wake.up()
      })
    underWay.set(working, lane.target)
    metrics.inFlight.set({ network: 'calls' }, underWay.size)
  }

  while (!signal.aborted) {
    if (underWay.size >= mostAtOnce) {
      await Promise.race(underWay.keys())
      continue
    }
    const lanes = await takeDue().catch((error: unknown) => {
      log.warn({ err: error }, 'calls not taken; trying again')
      return []
    })
    for (const lane of lanes) begin(lane)
    if (lanes.length === 0) await wake.sleep(lookEveryMS, signal)
  }
  await Promise.all(underWay.keys())
}
