import { clock } from '@parley/async/clock'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { UserDoc } from './documents.ts'
import { findUsersAndGroups, insertUsers, newUserDoc } from './users.ts'

/** A page of user groups by ID, in small batches: each can have 10,000 members. */
export async function findGroupPage(
  db: Db,
  app: string,
  skip: number,
  limit: number,
): Promise<{ totalCount: number; groups: AsyncIterable<UserDoc> }> {
  const match = { app, groupMembers: { $exists: true } }
  const groups = db.users.find(match).sort({ _id: 1 }).skip(skip).limit(limit).batchSize(10)
  return { totalCount: await db.users.countDocuments(match), groups }
}

/** Creates or updates a group, unless the ID belongs to a user. Also returns the group as it was. */
export async function saveGroupDoc(
  db: Db,
  app: string,
  id: string,
  fields: { nickname: string; avatarUrl: string; groupMembers: string[] },
  session: Session,
): Promise<{ saved: boolean; before?: UserDoc }> {
  const before = (await findUsersAndGroups(db, app, [id], session)).get(id)
  if (before && !before.groupMembers) return { saved: false }
  if (!before) await insertUsers(db, [newUserDoc(app, id, {})], session)
  await db.users.updateOne(
    { _id: key(app, id) },
    { $set: { ...fields, updatedAt: clock.date() }, $unset: { names: 1 }, $inc: { revision: 1 } },
    { session },
  )
  return { saved: true, ...(before && { before }) }
}

/** Removes a user group and returns it; null if it does not exist. */
export async function deleteGroupDoc(db: Db, app: string, id: string, session: Session): Promise<UserDoc | null> {
  return db.users.findOneAndDelete({ _id: key(app, id), groupMembers: { $exists: true } }, { session })
}

/** The distinct users of `ids`, with each group replaced by its current members. */
export async function expandGroups(db: Db, app: string, ids: readonly string[]): Promise<Set<string>> {
  const named = ids.length === 0 ? new Map<string, UserDoc>() : await findUsersAndGroups(db, app, ids)
  return new Set(ids.flatMap((id) => named.get(id)?.groupMembers ?? [id]))
}
