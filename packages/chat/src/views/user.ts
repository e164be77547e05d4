import type { AdminUser, User } from '@parley/contracts/resources/user'
import type { Db } from '@parley/db/connect'
import { findMutedRooms } from '@parley/db/rooms/rooms-of-users'
import { banInForce } from '@parley/db/users/app-bans'
import type { UserDoc } from '@parley/db/users/documents'

/** A user as seen by themselves (docs/reference/resources.md#user). */
export async function toUserView(db: Db, doc: UserDoc): Promise<User> {
  const { isAdmin: _isAdmin, ban: _ban, ...user } = await toAdminUserView(db, doc)
  return user
}

export async function toAdminUserView(db: Db, doc: UserDoc): Promise<AdminUser> {
  const [shown] = await toAdminUserViews(db, doc.app, [doc])
  return shown as AdminUser
}

/** Users of an app as seen by an API key, with one more query for any number. */
export async function toAdminUserViews(db: Db, app: string, docs: readonly UserDoc[]): Promise<AdminUser[]> {
  const ids = docs.map(({ id }) => id)
  const muted = await findMutedRooms(db, app, ids)
  return docs.map((doc) => toAdminUser(doc, muted.get(doc.id) ?? []))
}

/** A user as seen by an API key, with known mutes. */
export function toAdminUser(doc: UserDoc, mute: string[]): AdminUser {
  const ban = banInForce(doc)
  return {
    _id: doc.id,
    id: doc.id,
    appID: doc.app,
    nickname: doc.nickname,
    description: doc.description,
    ...(doc.email !== undefined && { email: doc.email }),
    avatarUrl: doc.avatarUrl,
    ...(doc.address && { address: doc.address }),
    ...(doc.userAgent !== undefined && { userAgent: doc.userAgent }),
    isRobot: doc.isRobot,
    isAdmin: doc.isAdmin,
    ...(doc.commands && doc.commands.length > 0 && { commands: doc.commands }),
    mute,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
    ...(doc.lastJoinOrCreateRoomTime && { lastJoinOrCreateRoomTime: doc.lastJoinOrCreateRoomTime.toISOString() }),
    lastLoginTimeMS: doc.lastLoginTimeMS,
    __v: doc.revision,
    ...(ban && { ban }),
  }
}
