import { clock } from '@parley/async/clock'
import type { Filter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { findTimePage, type TimePage } from '../find-page.ts'
import { idsOf } from '../keys.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { OutgoingCallDoc } from './documents.ts'
import { openQueues } from './outgoing-calls.ts'

const maxOfMessage = 100

/** Lists only what retries can see: they are transactions, which see majority-committed writes only. */
const asRetriesSee = { readConcern: 'majority' } as const

/** Selects an app's calls by the time when they were queued. */
interface CallRange {
  app: string
  room?: string | undefined
  sinceMS: number
  untilMS: number
}

/** A page of the calls about all rooms or some, latest first, without their data. One index scan per room. */
export async function findCalls(
  db: Db,
  app: string,
  rooms: readonly string[] | 'all',
  page: TimePage,
): Promise<Omit<OutgoingCallDoc, 'data'>[]> {
  if (rooms.length === 0) return []
  const of = { app, ...(rooms !== 'all' && { room: { $in: [...rooms] } }) }
  const options = { projection: { data: 0 }, ...asRetriesSee }
  return findTimePage(db.outgoingCalls, of, { time: 'createdAtMS', id: '_id' }, page, options)
}

export async function findCall(db: Db, app: string, id: string): Promise<Omit<OutgoingCallDoc, 'data'> | null> {
  return db.outgoingCalls.findOne({ _id: id, app }, { projection: { data: 0 }, ...asRetriesSee })
}

/** Like findCall, with the data. */
export async function findWholeCall(db: Db, app: string, id: string): Promise<OutgoingCallDoc | null> {
  return db.outgoingCalls.findOne({ _id: id, app })
}

/**
 * Queues finished calls of a period again, oldest first; each keeps its order. Calls and queues are written in one
 * transaction: a waiting call without a queue would never be made.
 * @param also further writes in the transaction
 * @returns the number of calls, and whether there may be more
 */
export async function requeueCalls(
  db: Db,
  { app, room, sinceMS, untilMS }: CallRange,
  states: readonly ('done' | 'failed')[],
  limit: number,
  also: (session: Session, count: number) => Promise<void>,
): Promise<{ count: number; hasMore: boolean }> {
  const wanted: Filter<OutgoingCallDoc> = {
    app,
    ...(room !== undefined && { room }),
    createdAtMS: { $gte: sinceMS, $lte: untilMS },
    state: { $in: [...states] },
    data: { $exists: true },
  }
  return inTransaction(db, async (session) => {
    const found = await db.outgoingCalls
      .find(wanted, { projection: { queue: 1, target: 1 }, session })
      .sort({ createdAtMS: 1, _id: 1 })
      .limit(limit)
      .toArray()
    if (found.length === 0) return { count: 0, hasMore: false }
    await db.outgoingCalls.updateMany({ _id: { $in: idsOf(found) } }, requeued(), { session })
    const queues = new Map(found.map((call) => [call.queue, call]))
    await openQueues(db, [...queues.values()], session)
    await also(session, found.length)
    return { count: found.length, hasMore: found.length === limit }
  })
}

/** Queues a finished call again, in its order. Returns it, or null without a call of this ID and state. */
export async function requeueCall(
  db: Db,
  app: string,
  id: string,
  states: readonly ('done' | 'failed')[],
  also: (session: Session) => Promise<void>,
): Promise<OutgoingCallDoc | null> {
  return inTransaction(db, async (session) => {
    const call = await db.outgoingCalls.findOneAndUpdate(
      { _id: id, app, state: { $in: [...states] }, data: { $exists: true } },
      requeued(),
      { returnDocument: 'after', session },
    )
    if (call) {
      await openQueues(db, [call], session)
      await also(session)
    }
    return call
  })
}

function requeued() {
  return {
    $set: { state: 'waiting' as const, createdAtMS: clock.now(), isRequeued: true as const },
    $unset: { failedAt: 1 as const, madeAt: 1 as const },
  }
}

const forget = { $unset: { 'lastTry.answer': 1 } } as const

/** Deletes the servers' responses to a message's calls, since they can contain its content. */
export async function forgetAnswersOfMessage(db: Db, app: string, message: string): Promise<void> {
  const calls = await findCallsOfMessage(db, app, message)
  if (calls.length > 0) await db.outgoingCalls.updateMany({ _id: { $in: idsOf(calls) } }, forget)
}

/** Deletes the servers' responses to a room's calls before a stream position, or about a user's actions. */
export async function forgetAnswersOfRoom(
  db: Db,
  { app, room }: { app: string; room: string },
  of: { beforeOrder: number } | { client: string },
): Promise<void> {
  const which = 'client' in of ? { client: of.client } : { order: { $lt: of.beforeOrder } }
  await db.outgoingCalls.updateMany({ app, room, ...which }, forget)
}

/** The calls of a message's events: to the webhook of its room, and to PUSH_GENERIC. */
export async function findCallsOfMessage(
  db: Db,
  app: string,
  message: string,
): Promise<Omit<OutgoingCallDoc, 'data'>[]> {
  const beginsWith = (name: string) => ({ _id: { $gte: name, $lt: `${name}\uffff` } })
  const wanted = [
    { _id: { $in: [`hook_${message}`, `push_${message}`] } },
    // Pages of a large room's members, and changes of the message.
    beginsWith(`push_${message}_`),
    beginsWith(`hook_${message}:`),
  ]
  return db.outgoingCalls
    .find({ $or: wanted, app }, { projection: { data: 0 } })
    .sort({ _id: 1 })
    .limit(maxOfMessage)
    .toArray()
}
