import { defined } from '@parley/contracts/defined'
import type {
  NotificationsOfRoom,
  ThreadNotifications,
  UserNotifications,
} from '@parley/contracts/resources/push/notification-settings'
import type { Db, Session } from '../db.ts'

/**
 * Replaces the notification settings of a user, of a member for a room, or of a thread's user for the thread. Empty
 * settings are not stored: most documents have none.
 * @returns the previous settings, or undefined if no document matches
 */
export async function saveNotifications(
  db: Db,
  collection: 'users' | 'memberships' | 'threadMembers',
  filter: { _id: string; groupMembers?: { $exists: false } },
  settings: UserNotifications | NotificationsOfRoom | ThreadNotifications,
  session: Session,
): Promise<object | undefined> {
  const notify = defined(settings)
  const update = Object.keys(notify).length === 0 ? { $unset: { notify: '' } } : { $set: { notify } }
  const kept = db.mongo.collection<{ _id: string; notify?: object; groupMembers?: string[] }>(collection)
  const before = await kept.findOneAndUpdate(filter, update as object, { projection: { notify: 1 }, session })
  return before ? (before.notify ?? {}) : undefined
}
