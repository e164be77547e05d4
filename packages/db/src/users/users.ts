import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { findPage, type TimePage } from '../find-page.ts'
import { key } from '../keys.ts'
import { type Query, toFilter } from '../query-filter.ts'
import { asTooSlow, unreadablePattern } from '../server-errors.ts'
import { banInForce } from './app-bans.ts'
import type { UserDoc } from './documents.ts'
import { searchedNamesIndex } from './named-users.ts'
import { searchedNames } from './searched-names.ts'

export type Profile = Pick<
  UserDoc,
  'nickname' | 'description' | 'email' | 'avatarUrl' | 'isRobot' | 'isAdmin' | 'commands'
>

export const userIndexes: IndexDescription[] = [
  { key: { app: 1, createdAt: 1, _id: 1 } },
  { key: { app: 1, nickname: 1 } },
  { key: searchedNamesIndex },
  { key: { app: 1, email: 1 }, partialFilterExpression: { email: { $exists: true } } },
  { key: { app: 1, lastLoginTimeMS: 1, _id: 1 } },
  { key: { app: 1, 'ban.atMS': 1, _id: 1 }, partialFilterExpression: { ban: { $exists: true } } },
  { key: { app: 1, isRobot: 1, createdAt: 1, _id: 1 }, partialFilterExpression: { isRobot: true } },
  { key: { app: 1, 'commands.name': 1 }, partialFilterExpression: { 'commands.name': { $exists: true } } },
  { key: { app: 1, _id: 1 }, partialFilterExpression: { groupMembers: { $exists: true } } },
  { key: { app: 1, groupMembers: 1 }, partialFilterExpression: { groupMembers: { $exists: true } } },
]

/** A user; null for the ID of a user group. */
export async function findUser(db: Db, app: string, id: string, session?: Session): Promise<UserDoc | null> {
  return db.users.findOne({ _id: key(app, id), groupMembers: { $exists: false } }, { ...(session && { session }) })
}

export async function setExported(
  db: Db,
  { app, id }: Pick<UserDoc, 'app' | 'id'>,
  exported: UserDoc['exported'] & object,
  session: Session,
): Promise<void> {
  await db.users.updateOne({ _id: key(app, id) }, { $set: { exported } }, { session })
}

/** When users were created (Unix milliseconds), by key(app, id); unknown users are omitted. */
export async function findCreationTimes(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  const found = db.users.find({ _id: { $in: [...keys] } }).project<Pick<UserDoc, '_id' | 'createdAt'>>({ createdAt: 1 })
  return new Map((await found.toArray()).map(({ _id, createdAt }) => [_id, createdAt.getTime()]))
}

/** The existing users among `ids`, by ID; groups are omitted. */
export async function findUsers(db: Db, app: string, ids: Iterable<string>): Promise<Map<string, UserDoc>> {
  return onlyUsers((await findUsersAndGroups(db, app, ids)).values())
}

export async function findSenders(
  db: Db,
  app: string,
  messages: readonly { sender: string }[],
): Promise<Map<string, UserDoc>> {
  const ids = messages.map(({ sender }) => sender)
  return findUsers(db, app, ids)
}

/** Users of one app by ID; groups are omitted. */
export function onlyUsers(found: Iterable<UserDoc>): Map<string, UserDoc> {
  return new Map([...found].flatMap((user) => (user.groupMembers ? [] : [[user.id, user]])))
}

/** The existing users and user groups among `ids`, by ID. They share one ID space. */
export async function findUsersAndGroups(
  db: Db,
  app: string,
  ids: Iterable<string>,
  session?: Session,
): Promise<Map<string, UserDoc>> {
  const keys = [...new Set(ids)].map((id) => key(app, id))
  if (keys.length === 0) return new Map()
  const users = await db.users.find({ _id: { $in: keys } }, { ...(session && { session }) }).toArray()
  return new Map(users.map((user) => [user.id, user]))
}

/** The users and user groups of any apps among these keys, `key(app, id)`, by key. */
export async function findUsersByKey(db: Db, keys: Iterable<string>, session?: Session): Promise<Map<string, UserDoc>> {
  const wanted = [...new Set(keys)]
  if (wanted.length === 0) return new Map()
  const users = await db.users.find({ _id: { $in: wanted } }, { ...(session && { session }) }).toArray()
  return new Map(users.map((user) => [user._id, user]))
}

/** The fields of a user that decide on pushes. `reason`: why the user never gets any. */
interface UserToPush extends Pick<UserDoc, 'notify'> {
  reason?: 'ROBOT' | 'BANNED'
}

/** By ID, only users with such fields: robots, users with a ban from the app, users with notification settings. */
export async function findUsersToPush(db: Db, app: string, ids: readonly string[]): Promise<Map<string, UserToPush>> {
  const keys = ids.map((id) => key(app, id))
  const some = [{ isRobot: true }, { ban: { $exists: true } }, { notify: { $exists: true } }]
  const found = await db.users
    .find({ _id: { $in: keys }, $or: some })
    .project<Pick<UserDoc, 'id' | 'isRobot' | 'ban' | 'notify'>>({ id: 1, isRobot: 1, ban: 1, notify: 1 })
    .toArray()
  return new Map(
    found.map((user) => {
      const reason = user.isRobot ? 'ROBOT' : banInForce(user) ? 'BANNED' : undefined
      return [user.id, { ...(reason && { reason }), ...(user.notify && { notify: user.notify }) }]
    }),
  )
}

export function newUserDoc(app: string, id: string, profile: Partial<Profile>): UserDoc {
  const now = clock.date()
  return {
    _id: key(app, id),
    app,
    id,
    nickname: '',
    description: '',
    avatarUrl: '',
    isRobot: false,
    isAdmin: false,
    ...profile,
    names: searchedNames({ id, nickname: profile.nickname ?? '' }),
    lastLoginTimeMS: 0,
    createdAt: now,
    updatedAt: now,
    revision: 0,
  }
}

/** Creates users. @throws a duplicate key error if an ID is taken */
export async function insertUsers(db: Db, users: readonly UserDoc[], session: Session): Promise<void> {
  if (users.length > 0) await db.users.insertMany([...users], { session })
}

/** Writes the profiles of users that the same transaction has read. */
export async function updateProfiles(db: Db, users: readonly UserDoc[], session: Session): Promise<void> {
  if (users.length === 0) return
  await db.users.bulkWrite(
    users.map(
      ({ _id, id, nickname, description, email, avatarUrl, isRobot, isAdmin, commands, updatedAt, revision }) => ({
        updateOne: {
          filter: { _id },
          update: {
            $set: {
              nickname,
              names: searchedNames({ id, nickname }),
              description,
              avatarUrl,
              isRobot,
              isAdmin,
              updatedAt,
              revision,
              ...defined({ email, commands }),
            },
          },
        },
      }),
    ),
    { session, ordered: false },
  )
}

/** A page of an app's users, without groups, oldest first, and the total number of matches. @throws QueryTooSlow */
export async function findUserPage(
  db: Db,
  app: string,
  query: Query,
  page: { skip: number; limit: number; maxTimeMS: number },
): Promise<{ totalCount: number; users: UserDoc[] }> {
  const { skip, limit, maxTimeMS } = page
  const match: Filter<UserDoc> = { $and: [{ app, groupMembers: { $exists: false } }, toFilter(app, query)] }
  // Wait for both even if one fails, so that limits on concurrent queries hold.
  const [total, found] = await Promise.allSettled([
    isOfAll(query) ? countUsers(db, app, maxTimeMS) : db.users.countDocuments(match, { maxTimeMS }),
    db.users.find(match, { maxTimeMS }).sort({ createdAt: 1, _id: 1 }).skip(skip).limit(limit).toArray(),
  ])
  if (total.status === 'rejected') throw asTooSlow(total.reason, unreadablePattern)
  if (found.status === 'rejected') throw asTooSlow(found.reason, unreadablePattern)
  return { totalCount: total.value, users: found.value }
}

const latestDate = 8_640_000_000_000_000

/** The lists of an app's users, each sorted by a time and served by an index. */
const lists = {
  created: { time: 'createdAt', of: { groupMembers: { $exists: false } } },
  lastLogin: { time: 'lastLoginTimeMS', of: { groupMembers: { $exists: false } } },
  banned: { time: 'ban.atMS', of: { ban: { $exists: true } } },
  robots: { time: 'createdAt', of: { isRobot: true } },
} as const satisfies Record<string, { time: string; of: Filter<UserDoc> }>
type UserList = keyof typeof lists

/** A page of a list of an app's users, latest first; the ID in `before` is a user's `_id`. */
export async function findLatestUsers(
  db: Db,
  app: string,
  list: UserList,
  { sinceMS, untilMS, before, limit }: TimePage,
): Promise<UserDoc[]> {
  const { time, of } = lists[list]
  // 0 means that the user has never logged in.
  const least = Math.max(sinceMS, list === 'lastLogin' ? 1 : 0)
  const at = (ms: number) => (time === 'createdAt' ? new Date(Math.min(ms, latestDate)) : ms)
  const range = { app, ...of, [time]: { $gte: at(least), $lte: at(untilMS) } }
  const after = before && { atMS: at(before.atMS), id: before.id }
  const hint = `app_1_${list === 'robots' ? 'isRobot_1_' : ''}${time}_1__id_1`
  return findPage(db.users, range, { time, id: '_id', order: -1 }, { after, limit }, { hint })
}

/** The time by which a user is sorted in a list. */
export function timeInList({ createdAt, lastLoginTimeMS, ban }: UserDoc, list: UserList): number {
  if (list === 'lastLogin') return lastLoginTimeMS
  return list === 'banned' ? (ban?.atMS ?? 0) : createdAt.getTime()
}

const isOfAll = (query: Query) => 'all' in query && query.all.length === 0

/** The number of an app's users. Reads index entries only. */
async function countUsers(db: Db, app: string, maxTimeMS: number): Promise<number> {
  const groups = { app, groupMembers: { $exists: true } }
  const [all, ofGroups] = await Promise.all([
    db.users.countDocuments({ app }, { maxTimeMS, hint: { app: 1, createdAt: 1, _id: 1 } }),
    db.users.countDocuments(groups, { maxTimeMS, hint: { app: 1, _id: 1 } }),
  ])
  return all - ofGroups
}

/** Removes a user, also from user groups. */
export async function deleteUserDoc(db: Db, app: string, id: string, session: Session): Promise<void> {
  await db.users.deleteOne({ _id: key(app, id) }, { session })
  await db.users.updateMany({ app, groupMembers: id }, { $pull: { groupMembers: id } }, { session })
}
