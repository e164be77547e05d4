import type { ClientSession } from 'mongodb'
import { moveConfigMark } from '../apps/config-mark.ts'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import { type BlockMark } from '../rooms/blocked-members.ts'
import type { UserDoc } from './users.ts'

/** Of a user who is banned from the app: when that began, and when it ends, if it does. */
export interface AppBan {
  atMS: number
  untilMS?: number
}

/** The ban of a user that holds now. */
export function banInForce({ ban }: Pick<UserDoc, 'ban'>): AppBan | undefined {
  return ban && (ban.untilMS ?? Infinity) > Date.now() ? ban : undefined
}

/**
 * The key under which the ban lies among the memberships, so that what decides over a send has it without another read: no
 * room has an empty ID.
 */
export function appBanKey(app: string, user: string): string {
  return key(app, '', user)
}

/**
 * Bans a user from the app inside a transaction. It moves the mark of the configuration: a gateway that knows the user as a
 * sender finds out with its next write.
 */
export async function setAppBan(db: Db, user: UserDoc, ban: AppBan, session: ClientSession): Promise<UserDoc> {
  const { app, id } = user
  await moveConfigMark(db, app, session)
  const mark: BlockMark & { app: string } = {
    app,
    blocked: true,
    ...(ban.untilMS !== undefined && { blockedUntilMS: ban.untilMS }),
  }
  const marks = db.mongo.collection<BlockMark & { _id: string; app: string }>(db.memberships.collectionName)
  await marks.replaceOne({ _id: appBanKey(app, id) }, mark, { session, upsert: true })
  await db.users.updateOne({ _id: user._id }, { $set: { ban } }, { session })
  return { ...user, ban }
}

/** Lifts the ban of a user inside a transaction. */
export async function removeAppBan(db: Db, user: Pick<UserDoc, 'app' | 'id'>, session: ClientSession): Promise<void> {
  const { app, id } = user
  await db.memberships.deleteOne({ _id: appBanKey(app, id) }, { session })
  await db.users.updateOne({ _id: key(app, id) }, { $unset: { ban: 1 } }, { session })
}
