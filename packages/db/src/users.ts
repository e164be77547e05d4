import type { Address } from '@parley/contracts/resources/user'
import { type ClientSession, type Filter, type IndexDescription, MongoServerError } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'

export interface UserDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  isRobot: boolean
  isAdmin: boolean
  address?: Address
  userAgent?: string
  lastLoginTimeMS: number
  lastJoinOrCreateRoomTime?: Date
  createdAt: Date
  updatedAt: Date
  /** Set on a user group: a virtual user that stands for these members. */
  groupMembers?: string[]
  /** When the user last blocked or unblocked somebody of whom there is no direct room yet. */
  blocksChangedAt?: Date
  /** Counts the changes of the profile (`__v`). */
  revision: number
}

/** The part of a user that a profile update may set. */
export type Profile = Pick<UserDoc, 'nickname' | 'description' | 'email' | 'avatarUrl' | 'isRobot' | 'isAdmin'>

export const userIndexes: IndexDescription[] = [
  { key: { app: 1, createdAt: 1, _id: 1 } },
  { key: { app: 1, nickname: 1 } },
  { key: { app: 1, email: 1 }, partialFilterExpression: { email: { $exists: true } } },
  { key: { app: 1, lastLoginTimeMS: 1 } },
  { key: { app: 1, _id: 1 }, partialFilterExpression: { groupMembers: { $exists: true } } },
  { key: { app: 1, groupMembers: 1 }, partialFilterExpression: { groupMembers: { $exists: true } } },
]

export async function findUser(db: Db, app: string, id: string, session?: ClientSession): Promise<UserDoc | null> {
  return db.users.findOne({ _id: key(app, id) }, { ...(session && { session }) })
}

/** The users among `ids` that exist, by ID. */
export async function findUsers(db: Db, app: string, ids: Iterable<string>): Promise<Map<string, UserDoc>> {
  const keys = [...new Set(ids)].map((id) => key(app, id))
  if (keys.length === 0) return new Map()
  const users = await db.users.find({ _id: { $in: keys } }).toArray()
  return new Map(users.map((user) => [user.id, user]))
}

/** Which of the users are robots. */
export async function findRobots(db: Db, app: string, ids: readonly string[]): Promise<Set<string>> {
  const keys = ids.map((id) => key(app, id))
  const robots = await db.users.find({ _id: { $in: keys }, isRobot: true }, { projection: { id: 1 } }).toArray()
  return new Set(robots.map(({ id }) => id))
}

/** Creates the user. @throws a duplicate key error when the ID is taken. */
export async function insertUser(
  db: Db,
  app: string,
  id: string,
  profile: Partial<Profile>,
  session: ClientSession,
): Promise<UserDoc> {
  const now = new Date()
  const user: UserDoc = {
    _id: key(app, id),
    app,
    id,
    nickname: '',
    description: '',
    avatarUrl: '',
    isRobot: false,
    isAdmin: false,
    ...profile,
    lastLoginTimeMS: 0,
    createdAt: now,
    updatedAt: now,
    revision: 0,
  }
  await db.users.insertOne(user, { session })
  return user
}

/** Sets the given profile fields and leaves the others; null when there is no such user. */
export async function updateProfile(
  db: Db,
  app: string,
  id: string,
  profile: Partial<Profile>,
  session: ClientSession,
): Promise<UserDoc | null> {
  return db.users.findOneAndUpdate(
    { _id: key(app, id) },
    { $set: { ...profile, updatedAt: new Date() }, $inc: { revision: 1 } },
    { returnDocument: 'after', session },
  )
}

export interface Login {
  app: string
  user: string
  atMS: number
  address?: Address
  userAgent?: string
}

/** Notes when and from where users last connected; many logins are one round trip. */
export async function recordLogins(db: Db, logins: readonly Login[]): Promise<void> {
  await db.users.bulkWrite(
    logins.map(({ app, user, atMS, address, userAgent }) => ({
      updateOne: {
        filter: { _id: key(app, user) },
        update: {
          $max: { lastLoginTimeMS: atMS },
          $set: { ...(address && { address }), ...(userAgent && { userAgent }) },
        },
      },
    })),
    { ordered: false },
  )
}

/** Writes the user when his blocks change, so that this conflicts with who creates a direct room with him meanwhile. */
export async function noteBlocksChange(db: Db, app: string, user: string, session: ClientSession): Promise<void> {
  await db.users.updateOne({ _id: key(app, user) }, { $set: { blocksChangedAt: new Date() } }, { session })
}

/** Notes when users last joined or created a room. */
export async function recordJoin(
  db: Db,
  app: string,
  users: readonly string[],
  session?: ClientSession,
): Promise<void> {
  await db.users.updateMany(
    { _id: { $in: users.map((user) => key(app, user)) } },
    { $set: { lastJoinOrCreateRoomTime: new Date() } },
    session && { session },
  )
}

/** A filter over users, made of what user-filter lets through. */
export type UserFilter = Filter<UserDoc>

/** The database found no answer to a filter in the time that it may take. */
export class FilterTooSlow extends Error {
  override name = 'FilterTooSlow'
}

/**
 * A page of an app's users, groups left out, oldest first, and how many match in all.
 * @throws FilterTooSlow
 */
export async function findUserPage(
  db: Db,
  app: string,
  filter: UserFilter,
  page: { skip: number; limit: number; maxTimeMS: number },
): Promise<{ totalCount: number; users: UserDoc[] }> {
  const { skip, limit, maxTimeMS } = page
  const match: Filter<UserDoc> = { $and: [{ app, groupMembers: { $exists: false } }, filter] }
  try {
    const [totalCount, users] = await Promise.all([
      db.users.countDocuments(match, { maxTimeMS }),
      db.users.find(match, { maxTimeMS }).sort({ createdAt: 1, _id: 1 }).skip(skip).limit(limit).toArray(),
    ])
    return { totalCount, users }
  } catch (error) {
    if (error instanceof MongoServerError && stoppedFilter.has(Number(error.code))) {
      throw new FilterTooSlow('the filter took too long', { cause: error })
    }
    throw error
  }
}

/** MaxTimeMSExpired; and what the server says of a regular expression that reached its limits, or that it cannot read. */
const stoppedFilter = new Set([50, 2, 51_091, 51_108, 51_156])

/** User groups, in order of their IDs. */
export async function findGroupPage(
  db: Db,
  app: string,
  skip: number,
  limit: number,
): Promise<{ totalCount: number; groups: UserDoc[] }> {
  const match = { app, groupMembers: { $exists: true } }
  const [totalCount, groups] = await Promise.all([
    db.users.countDocuments(match),
    db.users.find(match).sort({ _id: 1 }).skip(skip).limit(limit).toArray(),
  ])
  return { totalCount, groups }
}

/** Creates the group or gives it these fields; false when the ID is that of a user. */
export async function saveGroupDoc(
  db: Db,
  app: string,
  id: string,
  fields: { nickname: string; avatarUrl: string; groupMembers: string[] },
  session: ClientSession,
): Promise<boolean> {
  const existing = await findUser(db, app, id, session)
  if (existing && !existing.groupMembers) return false
  if (!existing) await insertUser(db, app, id, {}, session)
  await db.users.updateOne(
    { _id: key(app, id) },
    { $set: { ...fields, updatedAt: new Date() }, $inc: { revision: 1 } },
    { session },
  )
  return true
}

/** Removes a user group; false when there is none. */
export async function deleteGroupDoc(db: Db, app: string, id: string): Promise<boolean> {
  const { deletedCount } = await db.users.deleteOne({ _id: key(app, id), groupMembers: { $exists: true } })
  return deletedCount === 1
}

/** Creates or updates many users in one round trip; absent fields keep their values. */
export async function upsertUsers(
  db: Db,
  app: string,
  users: readonly ({ id: string } & Partial<Profile>)[],
  session: ClientSession,
): Promise<void> {
  const now = new Date()
  const fresh = { nickname: '', description: '', avatarUrl: '', isRobot: false, isAdmin: false }
  await db.users.bulkWrite(
    users.map(({ id, ...profile }) => ({
      updateOne: {
        filter: { _id: key(app, id) },
        update: {
          $set: { ...profile, updatedAt: now },
          $inc: { revision: 1 },
          $setOnInsert: {
            app,
            id,
            ...Object.fromEntries(Object.entries(fresh).filter(([name]) => !(name in profile))),
            lastLoginTimeMS: 0,
            createdAt: now,
          },
        },
        upsert: true,
      },
    })),
    { session },
  )
}

/** Removes the user, also from the groups that he is in. */
export async function deleteUserDoc(db: Db, app: string, id: string, session: ClientSession): Promise<void> {
  await db.users.deleteOne({ _id: key(app, id) }, { session })
  await db.users.updateMany({ app, groupMembers: id }, { $pull: { groupMembers: id } }, { session })
}
