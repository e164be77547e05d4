import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'

/** A ban in force: a user who may only read in a room. */
export interface BanDoc {
  /** key(app, room, blockee) */
  _id: string
  app: string
  room: string
  roomKey: string
  blockee: string
  blocker: string
  createdAt: Date
}

export const banIndexes: IndexDescription[] = [{ key: { roomKey: 1, createdAt: 1 } }]

export async function insertBan(
  db: Db,
  ban: Pick<BanDoc, 'app' | 'room' | 'blockee' | 'blocker'>,
  session: ClientSession,
): Promise<BanDoc> {
  const { app, room, blockee } = ban
  const whole = { ...ban, _id: key(app, room, blockee), roomKey: key(app, room), createdAt: new Date() }
  await db.bans.insertOne(whole, { session })
  return whole
}

export async function findBan(
  db: Db,
  app: string,
  room: string,
  blockee: string,
  session: ClientSession,
): Promise<BanDoc | null> {
  return db.bans.findOne({ _id: key(app, room, blockee) }, { session })
}

/** The IDs of the bans in force in these rooms. */
export async function findBanIds(db: Db, roomKeys: readonly string[], session?: ClientSession): Promise<string[]> {
  if (roomKeys.length === 0) return []
  const options = { projection: { _id: 1 }, ...(session && { session }) }
  const bans = await db.bans.find({ roomKey: { $in: [...roomKeys] } }, options).toArray()
  return bans.map(({ _id }) => _id)
}

/** The bans in force in a room, the oldest first. */
export async function findBansOfRoom(db: Db, app: string, room: string): Promise<BanDoc[]> {
  return db.bans
    .find({ roomKey: key(app, room) })
    .sort({ createdAt: 1 })
    .toArray()
}

export async function deleteBan(db: Db, { _id }: BanDoc, session: ClientSession): Promise<void> {
  await db.bans.deleteOne({ _id }, { session })
}
