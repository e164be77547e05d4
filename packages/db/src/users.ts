import type { Address } from '@parley/contracts/resources/user'
import type { ClientSession, Filter, IndexDescription } from 'mongodb'
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

/** Notes when users last joined or created a room. */
export async function recordJoin(db: Db, app: string, users: readonly string[]): Promise<void> {
  await db.users.updateMany(
    { _id: { $in: users.map((user) => key(app, user)) } },
    { $set: { lastJoinOrCreateRoomTime: new Date() } },
  )
}

/** A page of an app's users, groups left out, oldest first, and how many match in all. */
export async function findUserPage(
  db: Db,
  app: string,
  filter: Filter<UserDoc>,
  skip: number,
  limit: number,
): Promise<{ totalCount: number; users: UserDoc[] }> {
  const match: Filter<UserDoc> = { $and: [{ app, groupMembers: { $exists: false } }, filter] }
  const [totalCount, users] = await Promise.all([
    db.users.countDocuments(match),
    db.users.find(match).sort({ createdAt: 1, _id: 1 }).skip(skip).limit(limit).toArray(),
  ])
  return { totalCount, users }
}
