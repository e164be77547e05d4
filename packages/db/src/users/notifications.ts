import type {
  NotificationsOfRoom,
  ThreadNotifications,
  UserNotifications,
} from '@parley/contracts/resources/notification-settings'
import type { ClientSession } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'

/** A user, in a room or a thread of it. */
interface Place {
  app: string
  user: string
}

/** Replaces the notifications of a user; returns whether the user exists. */
export async function saveUserNotifications(
  db: Db,
  { app, user }: Place,
  notify: UserNotifications,
  session: ClientSession,
): Promise<boolean> {
  const filter = { _id: key(app, user), groupMembers: { $exists: false } }
  const { matchedCount } = await db.users.updateOne(filter, replacing(notify), { session })
  return matchedCount === 1
}

/** Those of a member of a room. */
export async function saveRoomNotifications(
  db: Db,
  { app, room, user }: Place & { room: string },
  notify: NotificationsOfRoom,
  session: ClientSession,
): Promise<boolean> {
  const { matchedCount } = await db.memberships.updateOne({ _id: key(app, room, user) }, replacing(notify), { session })
  return matchedCount === 1
}

/** Those of a user of a thread. */
export async function saveThreadNotifications(
  db: Db,
  { app, room, root, user }: Place & { room: string; root: string },
  notify: ThreadNotifications,
  session: ClientSession,
): Promise<boolean> {
  const _id = key(app, room, root, user)
  const { matchedCount } = await db.threadMembers.updateOne({ _id }, replacing(notify), { session })
  return matchedCount === 1
}

/** Settings that say nothing are not stored: most documents have none. */
function replacing<N extends object>(notify: N): { $set: { notify: N } } | { $unset: { notify: '' } } {
  const given = Object.fromEntries(Object.entries(notify).filter(([, value]) => value !== undefined)) as N
  return Object.keys(given).length === 0 ? { $unset: { notify: '' } } : { $set: { notify: given } }
}
