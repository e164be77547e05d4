import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf } from '../keys.ts'
import type { CallQueueDoc, CallTry, OutgoingCallDoc } from './documents.ts'

const day = 24 * 60 * 60
export const keptDays = 7
export const outgoingCallIndexes: IndexDescription[] = [
  { key: { queue: 1, order: 1, _id: 1 }, partialFilterExpression: { state: 'waiting' }, name: 'waiting' },
  { key: { app: 1, failedAt: -1, _id: -1 }, partialFilterExpression: { state: 'failed' }, name: 'failed' },
  { key: { app: 1, createdAtMS: -1, _id: -1 } },
  { key: { app: 1, room: 1, createdAtMS: -1, _id: -1 } },
  // Longer than the stream can redeliver an event.
  { key: { madeAt: 1 }, expireAfterSeconds: keptDays * day },
  { key: { failedAt: 1 }, expireAfterSeconds: 30 * day },
]
export const callQueueIndexes: IndexDescription[] = [{ key: { target: 1, dueAtMS: 1 } }]

/** The target of calls: targets do not delay each other, so neither do kinds of calls or servers. */
export function targetOf(kind: OutgoingCallDoc['kind'], origin: string): string {
  return `${kind} ${origin}`
}

export type CallToQueue = Pick<
  OutgoingCallDoc,
  '_id' | 'app' | 'kind' | 'queue' | 'order' | 'room' | 'event' | 'client' | 'request'
> & {
  data: string
  target: string
  /** If not at once; for a call that is alone in its queue. */
  dueAtMS?: number
  /** Queue an earlier call of this ID again if it was dropped as unneeded. */
  revive?: true
}

/** Queues calls. Idempotent: calls queued by an earlier delivery of their event stay unchanged. */
export async function queueCalls(db: Db, calls: readonly CallToQueue[]): Promise<void> {
  if (calls.length === 0) return
  const createdAtMS = clock.now()
  const revived = calls.filter(({ revive }) => revive)
  await db.outgoingCalls.bulkWrite(
    calls.map(({ _id, app, kind, queue, target, order, room, event, client, request, data }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $setOnInsert: {
            ...{ app, kind, queue, target, order, room, event, client, data },
            ...(request !== undefined && { request }),
            state: 'waiting' as const,
            tries: 0,
            createdAtMS,
          },
        },
        upsert: true,
      },
    })),
    { ordered: false },
  )
  if (revived.length > 0) await reviveCalls(db, revived, createdAtMS)
  await openQueues(db, calls)
}

/** Calls that were not made. A waiting one may be about to be dropped: its later `createdAtMS` keeps it. */
async function reviveCalls(db: Db, calls: readonly CallToQueue[], createdAtMS: number): Promise<void> {
  await db.outgoingCalls.bulkWrite(
    calls.map(({ _id, data }) => ({
      updateOne: {
        filter: { _id, tries: 0, state: { $ne: 'failed' as const } },
        update: {
          $set: { state: 'waiting' as const, data, createdAtMS },
          $unset: { madeAt: 1 as const, lastError: 1 as const },
        },
      },
    })),
    { ordered: false },
  )
}

/** Creates missing queues as due, and raises the version of existing ones. */
export async function openQueues(
  db: Db,
  queues: readonly { queue: string; target: string; dueAtMS?: number }[],
  session?: Session,
): Promise<void> {
  const now = clock.now()
  await db.callQueues.bulkWrite(
    queues.map(({ queue, target, dueAtMS = now }) => ({
      updateOne: {
        filter: { _id: queue },
        update: { $setOnInsert: { dueAtMS, failures: 0 }, $set: { target }, $inc: { version: 1 } },
        upsert: true,
      },
    })),
    { ordered: false, ...(session && { session }) },
  )
}

/**
 * Leases are not journaled: after a database crash, two processes may briefly work on one queue. The integrator then
 * gets a call twice with the same webhook-id, which delivery at least once allows.
 */
const lazily = { writeConcern: { w: 1, journal: false } }

/** The targets with due queues. Reads one index entry per target, however many calls wait. */
export async function findDueTargets(db: Db): Promise<string[]> {
  const found = await db.callQueues
    .aggregate<{ _id: string }>([
      { $sort: { target: 1, dueAtMS: 1 } },
      { $group: { _id: '$target', dueAtMS: { $first: '$dueAtMS' } } },
      { $match: { dueAtMS: { $lte: clock.now() } } },
    ])
    .toArray()
  return idsOf(found)
}

export async function findDueQueues(db: Db, target: string, limit: number): Promise<CallQueueDoc[]> {
  return db.callQueues
    .find({ target, dueAtMS: { $lte: clock.now() } })
    .sort({ dueAtMS: 1 })
    .limit(limit)
    .toArray()
}

export async function findExpiredQueues(
  db: Db,
  target: string,
  { dueByMS, beforeMS }: { dueByMS: number; beforeMS: number },
  limit: number,
): Promise<CallQueueDoc[]> {
  return db.callQueues
    .find({ target, dueAtMS: { $lte: dueByMS }, failingSinceMS: { $lt: beforeMS } })
    .sort({ dueAtMS: 1 })
    .limit(limit)
    .toArray()
}

/** Counts a failure of the target for its due queues, so that their calls expire without attempts of their own. */
export async function markQueuesFailing(db: Db, target: string): Promise<void> {
  const now = clock.now()
  const due = { target, dueAtMS: { $lte: now }, failingSinceMS: { $exists: false } }
  await db.callQueues.updateMany(due, { $set: { failingSinceMS: now } }, lazily)
}

/** Leases those of the queues that are still due, for `leaseMS`. */
export async function takeQueues(db: Db, queues: readonly CallQueueDoc[], leaseMS: number): Promise<CallQueueDoc[]> {
  const now = clock.now()
  const lease = randomUUID()
  const ids = { _id: { $in: idsOf(queues) } }
  const taken = { $set: { dueAtMS: now + leaseMS, lease } }
  const { modifiedCount } = await db.callQueues.updateMany({ ...ids, dueAtMS: { $lte: now } }, taken, lazily)
  if (modifiedCount === queues.length) return queues.map((queue) => ({ ...queue, lease }))
  return db.callQueues.find({ ...ids, lease }).toArray()
}

/** Extends the lease of a queue after a success; false if another process has the lease. */
export async function keepQueue(db: Db, { _id, lease }: CallQueueDoc, leaseMS: number): Promise<boolean> {
  const { matchedCount } = await db.callQueues.updateOne(
    { _id, ...(lease !== undefined && { lease }) },
    { $set: { dueAtMS: clock.now() + leaseMS, failures: 0 }, $unset: { failingSinceMS: 1 } },
    lazily,
  )
  return matchedCount === 1
}

/** Releases a queue until `dueAtMS`, and records its failures. */
export async function returnQueue(db: Db, queue: CallQueueDoc, dueAtMS: number): Promise<void> {
  const { _id, lease, failures, failingSinceMS } = queue
  const isFailing = failingSinceMS !== undefined
  await db.callQueues.updateOne(
    { _id, ...(lease !== undefined && { lease }) },
    {
      $set: { dueAtMS, failures, ...(isFailing && { failingSinceMS }) },
      $unset: { lease: 1, ...(!isFailing && { failingSinceMS: 1 as const }) },
    },
    lazily,
  )
}

/** Deletes an empty queue. If a call was queued since `version`, releases the queue as due instead. */
export async function endQueue(db: Db, queue: CallQueueDoc): Promise<void> {
  const { _id, version, lease } = queue
  const own = { _id, ...(lease !== undefined && { lease }), version }
  const { deletedCount } = await db.callQueues.deleteOne(own, lazily)
  if (deletedCount === 0) await returnQueue(db, queue, clock.now())
}

export async function findNextCall(db: Db, queue: string): Promise<OutgoingCallDoc | null> {
  return db.outgoingCalls.findOne({ queue, state: 'waiting' }, { sort: { order: 1, _id: 1 }, hint: 'waiting' })
}

/** A finished call; `data` is the part of its data to keep. */
export interface DoneCall {
  id: string
  data: string
  /** The response was applied. */
  isAnswered: boolean
  lastTry?: CallTry
  /** Why it was not needed any more, and not made. It stays queued if it was queued again after `queuedAtMS`. */
  notMade?: { reason: string; queuedAtMS: number }
}

export async function markCallsDone(db: Db, done: readonly DoneCall[]): Promise<void> {
  await db.outgoingCalls.bulkWrite(
    done.map(({ id, data, isAnswered, lastTry, notMade }) => ({
      updateOne: {
        filter: { _id: id, ...(notMade && { createdAtMS: notMade.queuedAtMS }) },
        update: {
          $set: {
            ...{ state: 'done' as const, madeAt: clock.date(), data },
            ...(isAnswered && { isAnswered }),
            ...(lastTry && { lastTry }),
            ...(notMade && { lastError: notMade.reason }),
          },
          ...(notMade === undefined && { $unset: { lastError: 1 as const }, $inc: { tries: 1 } }),
        },
      },
    })),
    { ordered: false },
  )
}

export async function findDroppedCalls(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const dropped = { _id: { $in: [...ids] }, state: 'done' as const, tries: 0 }
  const found = await db.outgoingCalls.find(dropped, { projection: { _id: 1 } }).toArray()
  return new Set(idsOf(found))
}

/** Records a failed try. With `deadWith`, the call becomes a dead letter with this data. */
export async function markCallTried(
  db: Db,
  id: string,
  { lastError, lastTry, deadWith }: { lastError: string; lastTry?: CallTry | undefined; deadWith?: string },
): Promise<void> {
  const dead = { state: 'failed' as const, failedAt: clock.date(), data: deadWith }
  const set = { lastError, ...(lastTry && { lastTry }), ...(deadWith !== undefined && dead) }
  await db.outgoingCalls.updateOne({ _id: id }, { $set: set, $inc: { tries: 1 } })
}

/** Turns calls from before `beforeMS` into dead letters, with the result of `kept` as data. Returns their number. */
export async function deadLetterCalls(
  db: Db,
  queues: readonly string[],
  beforeMS: number,
  lastError: string,
  kept: (call: OutgoingCallDoc) => string,
): Promise<number> {
  const atOnce = 100
  for (let count = 0; ; ) {
    const calls = await db.outgoingCalls
      .find({ queue: { $in: [...queues] }, state: 'waiting', createdAtMS: { $lt: beforeMS } })
      .limit(atOnce)
      .toArray()
    const dead = { lastError, state: 'failed' as const, failedAt: clock.date() }
    const updates = calls.map((call) => ({
      updateOne: { filter: { _id: call._id }, update: { $set: { ...dead, data: kept(call) } } },
    }))
    if (updates.length > 0) await db.outgoingCalls.bulkWrite(updates, { ordered: false })
    count += updates.length
    if (updates.length < atOnce) return count
  }
}

/** A page of an app's dead letters, latest first, and their total number. */
export async function findFailedCalls(
  db: Db,
  app: string,
  skip: number,
  limit: number,
): Promise<{ totalCount: number; calls: AsyncIterable<OutgoingCallDoc> }> {
  const failed = { app, state: 'failed' as const }
  // Retries are transactions, which see majority-committed writes only.
  const found = db.outgoingCalls
    .find(failed, { readConcern: 'majority', skip, limit, batchSize: 50 })
    .hint('failed')
    .sort({ failedAt: -1, _id: -1 })
  return { totalCount: await db.outgoingCalls.countDocuments(failed, { hint: 'failed' }), calls: found }
}

export async function countFailedCalls(db: Db, app: string, max: number): Promise<number> {
  return db.outgoingCalls.countDocuments({ app, state: 'failed' }, { hint: 'failed', limit: max })
}

export async function countCalls(db: Db): Promise<{ waiting: number; failed: number }> {
  const [waiting, failed] = await Promise.all([
    db.outgoingCalls.countDocuments({ state: 'waiting' }, { hint: 'waiting' }),
    db.outgoingCalls.countDocuments({ state: 'failed' }, { hint: 'failed' }),
  ])
  return { waiting, failed }
}
