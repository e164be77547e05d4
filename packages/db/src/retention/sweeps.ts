import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { RetentionSweep } from '../apps/documents.ts'
import type { Db, Session } from '../db.ts'
import { keyRange } from '../keys.ts'
import type { RoomDoc } from '../rooms/documents.ts'

export const sweepIndexes: IndexDescription[] = [
  { key: { 'retention.nextMS': 1 } },
  { key: { 'retention.sweptMS': 1 } },
]

export const ownRetentionIndexes: IndexDescription[] = [
  { key: { app: 1, _id: 1 }, partialFilterExpression: { retentionDays: { $gt: 0 } } },
]

const leaseMS = 30_000
const againAfterMS = 60 * 60 * 1_000
const afterFailureMS = 5 * 60 * 1_000

export interface LeasedSweep extends RetentionSweep {
  app: string
  begunMS: number
}

/** Another process has taken the sweep. */
export class SweepTaken extends Error {
  override name = 'SweepTaken'
}

/** Makes an app's sweep due, starting over. Call in the transaction that lifts a hold. */
export async function sweepSoon(db: Db, app: string, session: Session): Promise<void> {
  const soon = { 'retention.nextMS': clock.now(), 'retention.wasLifted': true as const }
  await db.apps.updateOne(
    { _id: app },
    { $set: soon, $unset: { 'retention.afterRoom': 1, 'retention.begunMS': 1 } },
    { session },
  )
}

/** Leases the longest overdue sweep; null if none is due. */
export async function leaseSweep(db: Db): Promise<LeasedSweep | null> {
  const now = clock.now()
  const begun = { $ifNull: ['$retention.begunMS', now] }
  const app = await db.apps.findOneAndUpdate(
    { 'retention.nextMS': { $lte: now }, deletingSince: { $exists: false } },
    [{ $set: { 'retention.nextMS': now + leaseMS, 'retention.begunMS': begun } }],
    { sort: { 'retention.nextMS': 1 }, returnDocument: 'after', projection: { retention: 1 } },
  )
  return app && { begunMS: now, ...app.retention, app: app._id }
}

/** Records progress and extends the lease. @throws SweepTaken */
export async function advanceSweep(
  db: Db,
  sweep: LeasedSweep,
  done: Pick<RetentionSweep, 'afterRoom' | 'failed'> = {},
): Promise<LeasedSweep> {
  const next = { ...sweep, ...done, nextMS: clock.now() + leaseMS }
  const { app: _app, ...retention } = next
  await writeSweep(db, sweep, retention)
  return next
}

/** Ends a sweep. The next starts an hour after this one began, or in five minutes if a room failed. */
export async function endSweep(db: Db, { app, nextMS, begunMS, sweptMS, failed }: LeasedSweep): Promise<void> {
  const retention = failed
    ? { nextMS: clock.now() + afterFailureMS, sweptMS }
    : { nextMS: begunMS + againAfterMS, sweptMS: begunMS }
  await writeSweep(db, { app, nextMS }, retention)
}

async function writeSweep(db: Db, { app, nextMS }: Pick<LeasedSweep, 'app' | 'nextMS'>, retention: RetentionSweep) {
  const { matchedCount } = await db.apps.updateOne({ _id: app, 'retention.nextMS': nextMS }, { $set: { retention } })
  if (matchedCount === 0) throw new SweepTaken(`another process has taken the sweep of ${app}`)
}

/** Releases an unfinished sweep to other processes. */
export async function releaseSweep(db: Db, { app, nextMS }: LeasedSweep): Promise<void> {
  await db.apps.updateOne({ _id: app, 'retention.nextMS': nextMS }, { $set: { 'retention.nextMS': clock.now() } })
}

export async function oldestSweep(db: Db): Promise<number | undefined> {
  const [app] = await db.apps
    .find()
    .sort({ 'retention.sweptMS': 1 })
    .project<SweptApp>({ retention: 1 })
    .limit(1)
    .toArray()
  return app?.retention.sweptMS
}

interface SweptApp {
  retention: RetentionSweep
}

/** The fields that decide whether a room can have messages beyond their retention. */
export type SweptRoom = Pick<RoomDoc, '_id' | 'id' | 'roomType' | 'retentionDays' | 'seq' | 'oldestAtMS' | 'importing'>

/** Rooms of an app after a key, also deleted ones, by key. @param which 'own': only with their own retention */
export async function findRoomsToSweep(
  db: Db,
  app: string,
  afterRoom: string,
  limit: number,
  which: 'all' | 'own',
): Promise<SweptRoom[]> {
  const range = { ...keyRange(app), ...(afterRoom !== '' && { $gt: afterRoom }) }
  const fields = { id: 1, roomType: 1, retentionDays: 1, seq: 1, oldestAtMS: 1, importing: 1 }
  return db.rooms
    .find({ _id: range, ...(which === 'own' && { app, retentionDays: { $gt: 0 } }) })
    .project<SweptRoom>(fields)
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
}

/** Records that a room has no message from before a time; undefined if it has no messages. */
export async function recordOldest(db: Db, roomKey: string, oldestAtMS: number | undefined): Promise<void> {
  const update = oldestAtMS === undefined ? { $unset: { oldestAtMS: 1 as const } } : { $set: { oldestAtMS } }
  await db.rooms.updateOne({ _id: roomKey }, update)
}
