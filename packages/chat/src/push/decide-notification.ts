import type {
  AppNotifications,
  KeptBackBy,
  NotificationLevel,
  NotificationsOfRoom,
  ThreadNotifications,
  UserNotifications,
} from '@parley/contracts/resources/notification-settings'
import type { RoomType } from '@parley/contracts/resources/room'
import { isQuiet, type LocalTimes } from './quiet-hours.ts'

/** How a message mentions a user: by name or group, or together with everyone in the room. */
export type Mention = 'user' | 'room'

/** All facts that decide whether a message notifies a user who may read it. */
export interface NotificationFacts {
  roomType: RoomType
  messageType: string
  mention: Mention | undefined
  app: Pick<AppNotifications, 'levels'>
  user: UserNotifications | undefined
  room: NotificationsOfRoom | undefined
  /** Whether the user has muted the room (`mute` of the User). */
  isMuted: boolean
  /** Settings of the thread, if the message is in one that the user takes part in. */
  thread: ThreadNotifications | undefined
}

/**
 * The setting that suppresses the push of a message; undefined if it is pushed (docs/reference/push.md#levels). Checks
 * first the mutes of room and thread, which a mention by name bypasses; then the most specific level; then the user's
 * global settings.
 */
export function decideNotification(facts: NotificationFacts, now: LocalTimes): KeptBackBy | undefined {
  const { user, room, thread, mention, isMuted } = facts
  const isNamed = mention === 'user'
  const isMutedNow = (settings: ThreadNotifications | undefined) => (settings?.muteUntilMS ?? 0) > now.atMS
  // A thread with its own level still notifies in a muted room.
  if (isMuted && !isNamed && thread?.level === undefined) return 'MUTED'
  if ((isMutedNow(thread) || isMutedNow(room)) && !isNamed) return 'MUTED_FOR_NOW'
  const [level, by] = levelOf(facts)
  if (level === 'none' || (level === 'mentions' && mention === undefined)) return by
  if (isMutedNow(user) && !isNamed) return 'MUTED_FOR_NOW'
  return user?.doNotDisturb && isQuiet(user.doNotDisturb, now) ? 'DO_NOT_DISTURB' : undefined
}

/** The effective level and where it is set. */
function levelOf({
  roomType,
  messageType,
  app,
  user,
  room,
  thread,
}: NotificationFacts): [NotificationLevel, KeptBackBy] {
  const ofType = (settings: NotificationsOfRoom | undefined) =>
    settings?.types?.find((type) => type.messageType === messageType)?.level
  const places: [NotificationLevel | undefined, KeptBackBy][] = [
    [thread?.level, 'LEVEL_OF_THREAD'],
    [ofType(room), 'LEVEL_OF_TYPE_IN_ROOM'],
    [room?.level, 'LEVEL_OF_ROOM'],
    [ofType(user), 'LEVEL_OF_TYPE'],
    [user?.level, 'LEVEL_OF_USER'],
  ]
  const found = places.find((place): place is [NotificationLevel, KeptBackBy] => place[0] !== undefined)
  return found ?? [app.levels[roomType] ?? 'all', 'LEVEL_OF_APP']
}
