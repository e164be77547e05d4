import type {
  NotificationsOfRoom,
  ThreadNotifications,
  UserNotifications,
} from '@parley/contracts/resources/notification-settings'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'

interface OfUser {
  app: string
  user: string
}

/** Replaces a user's notification settings; returns whether the user exists. */
export async function saveUserNotifications(
  db: Db,
  { app, user }: OfUser,
  notify: UserNotifications,
  session: Session,
): Promise<boolean> {
  const filter = { _id: key(app, user), groupMembers: { $exists: false } }
  const { matchedCount } = await db.users.updateOne(filter, replacing(notify), { session })
  return matchedCount === 1
}

/** Replaces a member's notification settings for a room; returns whether the member exists. */
export async function saveRoomNotifications(
  db: Db,
  { app, room, user }: OfUser & { room: string },
  notify: NotificationsOfRoom,
  session: Session,
): Promise<boolean> {
  const { matchedCount } = await db.memberships.updateOne({ _id: key(app, room, user) }, replacing(notify), { session })
  return matchedCount === 1
}

/** Replaces a user's notification settings for a thread; returns whether the user is in the thread. */
export async function saveThreadNotifications(
  db: Db,
  { app, room, root, user }: OfUser & { room: string; root: string },
  notify: ThreadNotifications,
  session: Session,
): Promise<boolean> {
  const _id = key(app, room, root, user)
  const { matchedCount } = await db.threadMembers.updateOne({ _id }, replacing(notify), { session })
  return matchedCount === 1
}

/** Empty settings are not stored: most documents have none. */
function replacing<N extends object>(notify: N): { $set: { notify: N } } | { $unset: { notify: '' } } {
  const given = Object.fromEntries(Object.entries(notify).filter(([, value]) => value !== undefined)) as N
  return Object.keys(given).length === 0 ? { $unset: { notify: '' } } : { $set: { notify: given } }
}
