import { clock } from '@parley/async/clock'
import type { OptionalPage } from '@parley/contracts/optional-page'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import type { TimePage } from '../find-page.ts'
import { key, ofRoom } from '../keys.ts'
import type { BanDoc } from './documents.ts'

export const banIndexes: IndexDescription[] = [
  { key: { roomKey: 1, createdAt: 1 } },
  { key: { app: 1, blockee: 1, createdAt: -1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
]

/** Excludes expired bans, which MongoDB removes with a delay. */
function inForce(): Filter<BanDoc> {
  return { untilMS: { $not: { $lte: clock.now() } } }
}

export async function insertBan(
  db: Db,
  ban: Pick<BanDoc, 'app' | 'room' | 'blockee' | 'blocker' | 'untilMS'> & { createdAt?: Date },
  session: Session,
): Promise<BanDoc> {
  const { app, room, blockee, untilMS, createdAt = clock.date() } = ban
  const end = untilMS !== undefined && { expiresAt: new Date(untilMS) }
  const whole = { ...ban, _id: key(app, room, blockee), roomKey: key(app, room), createdAt, ...end }
  // An expired ban can still exist.
  await db.bans.replaceOne({ _id: whole._id }, whole, { session, upsert: true })
  return whole
}

export async function findBan(
  db: Db,
  app: string,
  room: string,
  blockee: string,
  session: Session,
): Promise<BanDoc | null> {
  return db.bans.findOne({ _id: key(app, room, blockee), ...inForce() }, { session })
}

/** The active bans among these, `key(app, room, blockee)`, and when they end. */
export async function findBansAmong(
  db: Db,
  ids: readonly string[],
  session?: Session,
): Promise<Pick<BanDoc, '_id' | 'untilMS'>[]> {
  if (ids.length === 0) return []
  const options = { projection: { untilMS: 1 }, ...(session && { session }) }
  return db.bans.find({ _id: { $in: [...ids] }, ...inForce() }, options).toArray()
}

export async function findBansOfRoom(
  db: Db,
  app: string,
  room: string,
  { skip, limit = 0 }: OptionalPage,
): Promise<BanDoc[]> {
  return db.bans
    .find({ ...ofRoom(key(app, room)), ...inForce() })
    .sort({ createdAt: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
}

export async function findBansOfUser(db: Db, app: string, blockee: string, limit: number): Promise<BanDoc[]> {
  return db.bans
    .find({ app, blockee, ...inForce() })
    .sort({ createdAt: -1 })
    .limit(limit)
    .toArray()
}

/** Assumed maximum number of bans that begin in the same millisecond, since a page can end among them. */
const maxAtOnce = 100

/** A period's active bans of a user, in a room, or both, latest first, up to `maxAtOnce` beyond the limit. */
export async function findBansBegun(
  db: Db,
  app: string,
  { blockee, room }: { blockee?: string | undefined; room?: string | undefined },
  { sinceMS, untilMS, before, limit }: TimePage,
): Promise<BanDoc[]> {
  const latestMS = Math.min(untilMS, before?.atMS ?? untilMS)
  const filter: Filter<BanDoc> =
    room === undefined
      ? { app, ...(blockee !== undefined && { blockee }) }
      : blockee === undefined
        ? ofRoom(key(app, room))
        : { _id: key(app, room, blockee) }
  return db.bans
    .find({ ...filter, createdAt: { $gte: new Date(sinceMS), $lte: new Date(latestMS) }, ...inForce() })
    .sort({ createdAt: -1 })
    .limit(limit + maxAtOnce)
    .toArray()
}

export async function deleteBan(db: Db, { _id }: BanDoc, session: Session): Promise<void> {
  await db.bans.deleteOne({ _id }, { session })
}
