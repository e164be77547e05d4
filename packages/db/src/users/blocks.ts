import { clock } from '@parley/async/clock'
import type { OptionalPage } from '@parley/contracts/optional-page'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key } from '../keys.ts'
import type { BlockDoc } from './documents.ts'

export const blockIndexes: IndexDescription[] = [{ key: { blockerKey: 1, createdAt: 1 } }]

export async function insertBlock(
  db: Db,
  block: Pick<BlockDoc, 'app' | 'blocker' | 'blockee'> & { createdAt?: Date },
  session: Session,
): Promise<BlockDoc> {
  const { app, blocker, blockee, createdAt = clock.date() } = block
  const whole = { ...block, _id: key(app, blocker, blockee), blockerKey: key(app, blocker), createdAt }
  await db.blocks.insertOne(whole, { session })
  return whole
}

export async function findBlock(
  db: Db,
  app: string,
  blocker: string,
  blockee: string,
  session: Session,
): Promise<BlockDoc | null> {
  return db.blocks.findOne({ _id: key(app, blocker, blockee) }, { session })
}

/** The existing blocks among these, `key(app, blocker, blockee)`. */
export async function findBlocks(db: Db, ids: readonly string[], session?: Session): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const options = { projection: { _id: 1 }, ...(session && { session }) }
  const found = await db.blocks.find({ _id: { $in: [...ids] } }, options).toArray()
  return new Set(idsOf(found))
}

export async function findBlocksOfUser(
  db: Db,
  app: string,
  blocker: string,
  { skip, limit = 0 }: OptionalPage,
): Promise<BlockDoc[]> {
  return db.blocks
    .find({ blockerKey: key(app, blocker) })
    .sort({ createdAt: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
}

export async function findBlockersOf(
  db: Db,
  app: string,
  blockee: string,
  users: readonly string[],
): Promise<Set<string>> {
  const ids = users.map((user) => key(app, user, blockee))
  const found = await db.blocks.find({ _id: { $in: ids } }, { projection: { blocker: 1 } }).toArray()
  return new Set(found.map(({ blocker }) => blocker))
}

export async function deleteBlock(db: Db, { _id }: BlockDoc, session: Session): Promise<void> {
  await db.blocks.deleteOne({ _id }, { session })
}

export async function deleteBlocksBy(db: Db, app: string, blocker: string, session: Session): Promise<void> {
  await db.blocks.deleteMany({ blockerKey: key(app, blocker) }, { session })
}
