import { ApiError } from '@parley/contracts/errors'
import {
  type AppNotifications,
  appNotifications,
  appNotificationsKey,
  type NotificationsOfRoom,
  type ThreadNotifications,
  type UserNotifications,
} from '@parley/contracts/resources/push/notification-settings'
import type { Db, Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findThreadMember } from '@parley/db/threads/thread-members'
import { saveNotifications } from '@parley/db/users/notifications'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { cacheByApp, readConfigValue } from '../integrations/config-values.ts'
import { findRoot } from '../threads/thread.ts'
import { unknownUser } from '../users/user-errors.ts'

/** A user's notification settings (docs/reference/push.md#levels). @throws ApiError CLIENT_NOT_FOUND */
export async function getNotifications({ db }: Chat, { app, user }: UserCaller): Promise<UserNotifications> {
  const found = await findUser(db, app, user)
  if (!found) throw unknownUser('uid', user)
  return found.notify ?? {}
}

/**
 * Replaces a user's notification settings. Their other devices get notificationSettings. @throws ApiError
 * CLIENT_NOT_FOUND
 */
export async function setNotifications(
  chat: Chat,
  of: UserCaller,
  settings: UserNotifications,
  device?: string,
): Promise<UserNotifications> {
  return change(chat, of, { settings }, device, async (session) => {
    const isUser = { _id: key(of.app, of.user), groupMembers: { $exists: false } } as const
    const before = await saveNotifications(chat.db, 'users', isUser, settings, session)
    if (!before) throw unknownUser('uid', of.user)
    return before
  })
}

/** A user's notification settings for a room. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
export async function getRoomNotifications(chat: Chat, of: UserCaller, room: string): Promise<NotificationsOfRoom> {
  return (await requireMember(chat, of, room)).membership.notify ?? {}
}

/**
 * Replaces a user's notification settings for a room. Their other devices get notificationSettings. @throws ApiError
 * ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function setRoomNotifications(
  chat: Chat,
  of: UserCaller,
  room: string,
  settings: NotificationsOfRoom,
  device?: string,
): Promise<NotificationsOfRoom> {
  return change(chat, of, { room, settings }, device, async (session) => {
    await requireMember(chat, of, room, session)
    return saveNotifications(chat.db, 'memberships', { _id: key(of.app, room, of.user) }, settings, session)
  })
}

/**
 * A user's notification settings for a thread, named by its root or one of its messages.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER, NOT_IN_THREAD
 */
export async function getThreadNotifications(chat: Chat, of: UserCaller, id: string): Promise<ThreadNotifications> {
  const { root, room } = await findRoot(chat, of, id)
  const member = await findThreadMember(chat.db, { app: of.app, room: room.id, root: root._id }, of.user)
  if (!member) throw notInThread()
  return member.notify ?? {}
}

/**
 * Replaces a user's notification settings for a thread. Their other devices get notificationSettings. @throws ApiError
 * as getThreadNotifications
 */
export async function setThreadNotifications(
  chat: Chat,
  of: UserCaller,
  id: string,
  settings: ThreadNotifications,
  device?: string,
): Promise<ThreadNotifications> {
  const { root, room } = await findRoot(chat, of, id)
  const _id = key(of.app, room.id, root._id, of.user)
  const payload = { room: room.id, threadOf: root._id, settings }
  return change(chat, of, payload, device, async (session) => {
    const before = await saveNotifications(chat.db, 'threadMembers', { _id }, settings, session)
    if (!before) throw notInThread()
    return before
  })
}

/** @param save returns the previous settings */
async function change<S extends NotificationsOfRoom>(
  chat: Chat,
  of: UserCaller,
  payload: { room?: string; threadOf?: string; settings: S },
  device: string | undefined,
  save: (session: Session) => Promise<object | undefined>,
): Promise<S> {
  return changeAndNotify(chat, userOrderingKey(of), async (session, pending) => {
    const before = await save(session)
    chat.audit?.addDetails({ before: { ...payload, settings: before }, after: payload })
    notifyUser(pending, of, 'notificationSettings', payload, device)
    return payload.settings
  })
}

function notInThread(): ApiError {
  return new ApiError('NOT_IN_THREAD', 'the caller has sent neither the root nor a message of the thread')
}

/** An app's notification settings, from its configuration. */
export async function findAppNotifications(db: Db, app: string): Promise<AppNotifications> {
  return (await readConfigValue(db, app, appNotificationsKey, appNotifications)) ?? withoutSettings
}

const withoutSettings = appNotifications.parse({})

export type NotificationsOfApp = (app: string) => Promise<AppNotifications>

export function cacheAppNotifications(chat: Chat): NotificationsOfApp {
  return cacheByApp(chat, appNotificationsKey, (app) => findAppNotifications(chat.db, app))
}
