import { randomUUID } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'

/** One HTTP call to an integrator's server: a room's webhook, or PUSH_GENERIC. */
export interface OutgoingCallDoc {
  /** The webhook-id: the same on every try. */
  _id: string
  app: string
  kind: 'webhook' | 'push'
  /** Calls of a lane go one after the other, in their order. */
  lane: string
  order: number
  room: string
  /** Such as MESSAGE; for kind `push` PUSH. */
  event: string
  /** The user whose action it tells of; '' when it was the API key. */
  client: string
  /** What the call says, as JSON text; taken away when it is done. */
  data?: string
  request?: string
  state: 'waiting' | 'done' | 'failed'
  tries: number
  lastError?: string
  createdAtMS: number
  /** Set on a done one, for the TTL. */
  doneAt?: Date
  /** Set on a failed one: a dead letter. */
  failedAt?: Date
}

/** A lane that has calls waiting. */
export interface CallLaneDoc {
  /** The lane. */
  _id: string
  /** Which server it calls. */
  target: string
  /** When somebody may work on it: its next try, or when the lease of who works on it ends. */
  dueAtMS: number
  lease?: string
  /** Tries that failed since the last success. */
  failures: number
  /** Grows with every call that was put in. */
  version: number
}

const day = 24 * 60 * 60
export const outgoingCallIndexes: IndexDescription[] = [
  { key: { lane: 1, order: 1, _id: 1 }, partialFilterExpression: { state: 'waiting' }, name: 'waiting' },
  { key: { app: 1, failedAt: -1, _id: -1 }, partialFilterExpression: { state: 'failed' }, name: 'failed' },
  // Longer than the stream keeps an event that could be delivered again.
  { key: { doneAt: 1 }, expireAfterSeconds: 4 * day },
  { key: { failedAt: 1 }, expireAfterSeconds: 30 * day },
]
export const callLaneIndexes: IndexDescription[] = [{ key: { dueAtMS: 1, target: 1 } }]

export type CallToQueue = Pick<
  OutgoingCallDoc,
  '_id' | 'app' | 'kind' | 'lane' | 'order' | 'room' | 'event' | 'client' | 'request'
> & { data: string; target: string }

/** Queues calls; one that was queued before (an event was delivered again) stays as it is. */
export async function queueCalls(db: Db, calls: readonly CallToQueue[]): Promise<void> {
  if (calls.length === 0) return
  const createdAtMS = Date.now()
  await db.outgoingCalls.bulkWrite(
    calls.map(({ _id, app, kind, lane, order, room, event, client, request, data }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $setOnInsert: {
            ...{ app, kind, lane, order, room, event, client, data },
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
  await openLanes(db, calls)
}

async function openLanes(db: Db, lanes: readonly { lane: string; target: string }[]): Promise<void> {
  const dueAtMS = Date.now()
  await db.callLanes.bulkWrite(
    lanes.map(({ lane, target }) => ({
      updateOne: {
        filter: { _id: lane },
        update: { $setOnInsert: { dueAtMS, failures: 0 }, $set: { target }, $inc: { version: 1 } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

/**
 * Leases are not journaled: if the database dies, two may work on a lane for a moment, and an integrator gets a call
 * twice under one webhook-id, as he may anyway.
 */
const lazily = { writeConcern: { w: 1, journal: false } }

/** Lanes that are due and whose target is not one of `busy`, the longest due first. */
export async function findDueLanes(db: Db, busy: readonly string[], limit: number): Promise<CallLaneDoc[]> {
  return db.callLanes
    .find({ dueAtMS: { $lte: Date.now() }, ...(busy.length > 0 && { target: { $nin: [...busy] } }) })
    .sort({ dueAtMS: 1 })
    .limit(limit)
    .toArray()
}

/** Takes those of the lanes that nobody else has taken: they are the caller's alone for `leaseMS`. */
export async function takeLanes(db: Db, lanes: readonly CallLaneDoc[], leaseMS: number): Promise<CallLaneDoc[]> {
  const now = Date.now()
  const lease = randomUUID()
  const ids = { _id: { $in: lanes.map(({ _id }) => _id) } }
  const taken = { $set: { dueAtMS: now + leaseMS, lease } }
  const { modifiedCount } = await db.callLanes.updateMany({ ...ids, dueAtMS: { $lte: now } }, taken, lazily)
  if (modifiedCount === lanes.length) return lanes.map((lane) => ({ ...lane, lease }))
  return db.callLanes.find({ ...ids, lease }).toArray()
}

/** Keeps a lane for longer, after a success; false when it was lost to another. */
export async function keepLane(db: Db, { _id, lease }: CallLaneDoc, leaseMS: number): Promise<boolean> {
  const { matchedCount } = await db.callLanes.updateOne(
    { _id, ...(lease !== undefined && { lease }) },
    { $set: { dueAtMS: Date.now() + leaseMS, failures: 0 } },
    lazily,
  )
  return matchedCount === 1
}

/** Gives a lane back: somebody may work on it from `dueAtMS` on. */
export async function returnLane(db: Db, lane: CallLaneDoc, dueAtMS: number, failures: number): Promise<void> {
  const { _id, lease } = lane
  await db.callLanes.updateOne(
    { _id, ...(lease !== undefined && { lease }) },
    { $set: { dueAtMS, failures }, $unset: { lease: 1 } },
    lazily,
  )
}

/** Ends a lane with no more calls, unless one was put in since its `version`; then it is due at once. */
export async function endLane(db: Db, { _id, version, lease }: CallLaneDoc): Promise<void> {
  const own = { _id, ...(lease !== undefined && { lease }) }
  const { deletedCount } = await db.callLanes.deleteOne({ ...own, version }, lazily)
  if (deletedCount > 0) return
  await db.callLanes.updateOne(own, { $set: { dueAtMS: Date.now() }, $unset: { lease: 1 } }, lazily)
}

/** The call of a lane whose turn it is. */
export async function findNextCall(db: Db, lane: string): Promise<OutgoingCallDoc | null> {
  return db.outgoingCalls.findOne({ lane, state: 'waiting' }, { sort: { order: 1, _id: 1 }, hint: 'waiting' })
}

export async function markCallsDone(db: Db, ids: readonly string[]): Promise<void> {
  await db.outgoingCalls.updateMany(
    { _id: { $in: [...ids] } },
    { $set: { state: 'done', doneAt: new Date() }, $unset: { data: 1 }, $inc: { tries: 1 } },
  )
}

/** Notes a try that failed; with `isDead` the call becomes a dead letter. */
export async function markCallTried(db: Db, id: string, lastError: string, isDead: boolean): Promise<void> {
  const dead = { state: 'failed' as const, failedAt: new Date() }
  await db.outgoingCalls.updateOne({ _id: id }, { $set: { lastError, ...(isDead && dead) }, $inc: { tries: 1 } })
}

/** Makes dead letters of what waits in a lane since before `beforeMS`; answers how many. */
export async function buryCalls(db: Db, lane: string, beforeMS: number, lastError: string): Promise<number> {
  const { modifiedCount } = await db.outgoingCalls.updateMany(
    { lane, state: 'waiting', createdAtMS: { $lt: beforeMS } },
    { $set: { lastError, state: 'failed', failedAt: new Date() } },
  )
  return modifiedCount
}

/** A page of an app's dead letters, the latest first, and how many there are. */
export async function findFailedCalls(
  db: Db,
  app: string,
  skip: number,
  limit: number,
): Promise<{ totalCount: number; calls: OutgoingCallDoc[] }> {
  const failed = { app, state: 'failed' as const }
  const [totalCount, calls] = await Promise.all([
    db.outgoingCalls.countDocuments(failed, { hint: 'failed' }),
    db.outgoingCalls.find(failed).hint('failed').sort({ failedAt: -1, _id: -1 }).skip(skip).limit(limit).toArray(),
  ])
  return { totalCount, calls }
}

/** Makes a dead letter wait again, in its place; answers it, or null when the app has none of this ID. */
export async function reviveCall(db: Db, app: string, id: string): Promise<OutgoingCallDoc | null> {
  const call = await db.outgoingCalls.findOneAndUpdate(
    { _id: id, app, state: 'failed' },
    { $set: { state: 'waiting', createdAtMS: Date.now() }, $unset: { failedAt: 1 } },
    { returnDocument: 'after' },
  )
  if (call) await openLanes(db, [{ lane: call.lane, target: '' }])
  return call
}

/** How many calls wait, and how many are dead letters, of all apps. */
export async function countCalls(db: Db): Promise<{ waiting: number; failed: number }> {
  const [waiting, failed] = await Promise.all([
    db.outgoingCalls.countDocuments({ state: 'waiting' }, { hint: 'waiting' }),
    db.outgoingCalls.countDocuments({ state: 'failed' }, { hint: 'failed' }),
  ])
  return { waiting, failed }
}
