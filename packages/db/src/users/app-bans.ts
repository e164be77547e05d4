import { clock } from '@parley/async/clock'
import type { Collection } from 'mongodb'
import { bumpConfigMark } from '../apps/config-mark.ts'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { BlockMark } from '../rooms/blocked-members.ts'
import type { AppBan, UserDoc } from './documents.ts'
import { newLoginMark } from './login-marks.ts'
import { deleteTokens, putMark } from './tokens.ts'

export function banInForce({ ban }: Pick<UserDoc, 'ban'>): AppBan | undefined {
  return ban && (ban.untilMS ?? Infinity) > clock.now() ? ban : undefined
}

/** The key of a ban in `memberships`, where the read before a send finds it. Room IDs are never empty. */
export function appBanKey(app: string, user: string): string {
  return key(app, '', user)
}

/** Stored in `memberships`, for a user banned from the app, or being erased but still in rooms. */
interface SendMark extends BlockMark {
  /** appBanKey(app, user) */
  _id: string
  app: string
  erasing?: true
}

/** Upper bound for an erasure. */
const longestErasureMS = 24 * 60 * 60 * 1_000

/**
 * Bans a user from the app and revokes their tokens, in a transaction. Moves the configuration mark, so that a gateway
 * that caches the user as a sender detects the ban with its next write. `ended` are the digests of the revoked tokens.
 */
export async function setAppBan(
  db: Db,
  user: UserDoc,
  ban: AppBan,
  session: Session,
): Promise<{ banned: UserDoc; ended: string[] }> {
  const { app, id } = user
  await setMark(db, user, { ...(ban.untilMS !== undefined && { blockedUntilMS: ban.untilMS }) }, session)
  await db.users.updateOne({ _id: user._id }, { $set: { ban } }, { session })
  const { ended } = await deleteTokens(db, app, id, 'all', session)
  await putMark(db, newLoginMark({ app, user: id }, 'all'), session)
  return { banned: { ...user, ban }, ended }
}

export async function removeAppBan(db: Db, user: Pick<UserDoc, 'app' | 'id'>, session: Session): Promise<void> {
  const { app, id } = user
  await db.memberships.deleteOne({ _id: appBanKey(app, id) }, { session })
  await db.users.updateOne({ _id: key(app, id) }, { $unset: { ban: 1 } }, { session })
}

/** Blocks sends of a user during erasure, like a ban. Call in the transaction that begins the erasure. */
export async function setErasing(db: Db, user: Pick<UserDoc, 'app' | 'id'>, session: Session): Promise<void> {
  await setMark(db, user, { erasing: true, blockedUntilMS: clock.now() + longestErasureMS }, session)
}

/** Removes the mark of setErasing. Call once the user has left all rooms. */
export async function unsetErasing(db: Db, { app, id }: Pick<UserDoc, 'app' | 'id'>): Promise<void> {
  await marksIn(db).deleteOne({ _id: appBanKey(app, id), erasing: true })
}

async function setMark(
  db: Db,
  { app, id }: Pick<UserDoc, 'app' | 'id'>,
  mark: Pick<SendMark, 'blockedUntilMS' | 'erasing'>,
  session: Session,
): Promise<void> {
  await bumpConfigMark(db, app, session)
  const marked = { app, blocked: true as const, ...mark }
  await marksIn(db).replaceOne({ _id: appBanKey(app, id) }, marked, { session, upsert: true })
}

function marksIn(db: Db): Collection<SendMark> {
  return db.mongo.collection<SendMark>(db.memberships.collectionName)
}
