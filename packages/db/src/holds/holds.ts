import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { findPage, type PagePosition } from '../find-page.ts'
import { idsOf, key } from '../keys.ts'
import type { HoldDoc, OwedErasure } from './documents.ts'

export const holdIndexes: IndexDescription[] = [{ key: { covers: 1 } }, { key: { app: 1, createdAtMS: -1, id: -1 } }]

/** Placing a hold writes all marks; a removal writes a random one, so removals rarely conflict with each other. */
const marks = 16

/** Encodes the room or user of a hold as one string. */
export function coverOf(app: string, of: { user: string } | { room: string }): string {
  return 'user' in of ? key(app, 'user', of.user) : key(app, 'room', of.room)
}

/** Inserts a hold. The transaction conflicts with concurrent removals that have not seen it. */
export async function insertHold(db: Db, hold: HoldDoc, session: Session): Promise<void> {
  const each = Array.from({ length: marks }, (_, i) => ({
    updateOne: { filter: { _id: key(hold.app, String(i)) }, update: { $inc: { count: 1 } }, upsert: true },
  }))
  await db.holdMarks.bulkWrite(each, { session })
  await db.holds.insertOne(hold, { session })
}

export async function countHolds(db: Db, app: string, session: Session): Promise<number> {
  return db.holds.countDocuments({ app }, { session, hint: { app: 1, createdAtMS: -1, id: -1 } })
}

export async function deleteHold(db: Db, app: string, id: string, session: Session): Promise<HoldDoc | null> {
  return db.holds.findOneAndDelete({ _id: key(app, id) }, { session })
}

/** Records content that the holds on its room or user spare, once per job and room. Returns whether there are any. */
export async function oweErasure(db: Db, app: string, owed: OwedErasure, session: Session): Promise<boolean> {
  const { job, room, user } = owed
  const covers = { $in: [coverOf(app, { room }), coverOf(app, { user })] }
  await db.holds.updateMany({ covers, owed: { $not: { $elemMatch: { job, room } } } }, { $push: { owed } }, { session })
  return (await db.holds.findOne({ covers }, { session, projection: { _id: 1 } })) !== null
}

/** A page of an app's holds, latest first. @param cover coverOf a user or room, to list only its holds */
export async function findHolds(
  db: Db,
  app: string,
  { cover, before, limit }: { cover: string | undefined; before: PagePosition | undefined; limit: number },
): Promise<HoldDoc[]> {
  const which = cover === undefined ? { app } : { app, covers: cover }
  return findPage(db.holds, which, { time: 'createdAtMS', id: 'id', order: -1 }, { after: before, limit })
}

/** Whether a room is under hold, and which users are. */
export interface Held {
  room: boolean
  users: ReadonlySet<string>
}

/** Finds holds on a room or users, in a transaction that removes their data. None can be placed until it ends. */
export async function findHeld(
  db: Db,
  app: string,
  { room, users }: { room?: string; users: readonly string[] },
  session: Session,
): Promise<Held> {
  const mark = key(app, String(Math.floor(Math.random() * marks)))
  await db.holdMarks.updateOne({ _id: mark }, { $inc: { count: 1 } }, { upsert: true, session })
  const ofRoom = room === undefined ? undefined : coverOf(app, { room })
  const byCover = new Map([...new Set(users)].map((user) => [coverOf(app, { user }), user]))
  const covers = [...byCover.keys(), ...(ofRoom === undefined ? [] : [ofRoom])]
  const found = await db.holds
    .find({ covers: { $in: covers } }, { session })
    .project<Pick<HoldDoc, 'covers'>>({ _id: 0, covers: 1 })
    .toArray()
  const held = new Set(found.map((hold) => hold.covers))
  return {
    room: ofRoom !== undefined && held.has(ofRoom),
    users: new Set([...byCover].flatMap(([cover, user]) => (held.has(cover) ? [user] : []))),
  }
}

export async function findHeldRooms(db: Db, app: string): Promise<string[]> {
  const found = await db.holds
    .find({ app, room: { $exists: true } })
    .project<{ room: string }>({ _id: 0, room: 1 })
    .toArray()
  return [...new Set(found.map(({ room }) => room))]
}

export async function findHeldUsers(db: Db, app: string, session: Session): Promise<string[]> {
  const found = await db.holds
    .find({ app, user: { $exists: true } }, { session })
    .project<{ user: string }>({ _id: 0, user: 1 })
    .toArray()
  return [...new Set(found.map(({ user }) => user))]
}

/** Expired messages under hold keep their expiry in `heldExpiryMS`, so that they are not found as due again. */
export const heldMessageIndexes: IndexDescription[] = [
  { key: { app: 1, heldExpiryMS: 1 }, partialFilterExpression: { heldExpiryMS: { $exists: true } } },
]

/** Sets expired messages aside while they are under hold. */
export async function spareExpired(db: Db, ids: readonly string[], session: Session): Promise<void> {
  const spared = [{ $set: { heldExpiryMS: '$expiresAtMS' } }, { $unset: 'expiresAtMS' }]
  await db.messages.updateMany({ _id: { $in: [...ids] } }, spared, { session })
}

/** Makes spared messages of an app due again, and returns how many. The sweep spares those still under hold again. */
export async function resumeExpiry(db: Db, app: string, limit: number): Promise<number> {
  const found = await db.messages
    .find({ app, heldExpiryMS: { $exists: true } })
    .hint({ app: 1, heldExpiryMS: 1 })
    .project<{ _id: string }>({ _id: 1 })
    .limit(limit)
    .toArray()
  const ids = { $in: idsOf(found) }
  const due = [{ $set: { expiresAtMS: '$heldExpiryMS' } }, { $unset: 'heldExpiryMS' }]
  if (found.length > 0) await db.messages.updateMany({ _id: ids, heldExpiryMS: { $exists: true } }, due)
  return found.length
}
