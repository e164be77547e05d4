// Without zod: the chat page contains this file.

/** Settings that can suppress a push, as `GET /admin/push/why` names them. */
export const keptBackBy = [
  'MUTED',
  'MUTED_FOR_NOW',
  'LEVEL_OF_THREAD',
  'LEVEL_OF_TYPE_IN_ROOM',
  'LEVEL_OF_ROOM',
  'LEVEL_OF_TYPE',
  'LEVEL_OF_USER',
  'LEVEL_OF_APP',
  'DO_NOT_DISTURB',
] as const
export type KeptBackBy = (typeof keptBackBy)[number]

/** In `mentions` of a message: every member, and every connected member (docs/reference/push.md#mentions-of-the-room). */
export const roomMention = '@room'
export const hereMention = '@here'

/** How a message mentions a user: by name or group, or together with everyone in the room. */
export type Mention = 'user' | 'room'

type Level = 'all' | 'mentions' | 'none'

/** ThreadNotifications. */
interface OfThread {
  level?: Level | undefined
  muteUntilMS?: number | undefined
}

/** NotificationsOfRoom. */
interface OfRoom extends OfThread {
  types?: readonly { messageType: string; level: Level }[] | undefined
}

/** All facts that decide whether a message notifies a user who may read it. */
export interface NotificationFacts {
  roomType: 'direct' | 'group'
  messageType: string
  mention: Mention | undefined
  app: { levels: { direct?: Level | undefined; group?: Level | undefined } }
  user: OfRoom | undefined
  room: OfRoom | undefined
  /** Whether the user has muted the room (`mute` of the User). */
  isMuted: boolean
  /** Settings of the thread, if the message is in one that the user takes part in. */
  thread: OfThread | undefined
  /** Whether the user's `doNotDisturb` includes this moment. */
  isQuiet: () => boolean
  atMS: number
}

/**
 * The setting that suppresses the push of a message; undefined if it is pushed (docs/reference/push.md#levels). Checks
 * first the mutes of room and thread, which a mention by name bypasses; then the most specific level; then the user's
 * global settings.
 */
export function decideNotification(facts: NotificationFacts): KeptBackBy | undefined {
  const { user, room, thread, mention, isMuted, isQuiet, atMS } = facts
  const isNamed = mention === 'user'
  const isMutedNow = (settings: OfThread | undefined) => (settings?.muteUntilMS ?? 0) > atMS
  // A thread with its own level still notifies in a muted room.
  const isOfRoom = thread?.level === undefined
  if (isMuted && !isNamed && isOfRoom) return 'MUTED'
  if ((isMutedNow(thread) || (isMutedNow(room) && isOfRoom)) && !isNamed) return 'MUTED_FOR_NOW'
  const [level, by] = levelOf(facts)
  if (level === 'none' || (level === 'mentions' && mention === undefined)) return by
  if (isMutedNow(user) && !isNamed) return 'MUTED_FOR_NOW'
  return isQuiet() ? 'DO_NOT_DISTURB' : undefined
}

/** The effective level and where it is set. */
function levelOf({ roomType, messageType, app, user, room, thread }: NotificationFacts): [Level, KeptBackBy] {
  const ofType = (settings: OfRoom | undefined) =>
    settings?.types?.find((type) => type.messageType === messageType)?.level
  const places: [Level | undefined, KeptBackBy][] = [
    [thread?.level, 'LEVEL_OF_THREAD'],
    [ofType(room), 'LEVEL_OF_TYPE_IN_ROOM'],
    [room?.level, 'LEVEL_OF_ROOM'],
    [ofType(user), 'LEVEL_OF_TYPE'],
    [user?.level, 'LEVEL_OF_USER'],
  ]
  const found = places.find((place): place is [Level, KeptBackBy] => place[0] !== undefined)
  return found ?? [app.levels[roomType] ?? 'all', 'LEVEL_OF_APP']
}
