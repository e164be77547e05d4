import { z } from 'zod'
import { timeMS } from '../ids.ts'
import { ours } from '../ours.ts'
import { pushText } from './push/text.ts'

/** Which messages are pushed: all, those that mention the user, or none (docs/reference/push.md#levels). */
const notificationLevel = z.enum(['all', 'mentions', 'none'])
export type NotificationLevel = z.infer<typeof notificationLevel>

/** The settings that keep a push back, as `GET /admin/push/why` names them. */
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

/** In `mentions` of a message: every member, and those who are connected (docs/reference/push.md#mentions-of-the-room). */
export const roomMention = '@room'
export const hereMention = '@here'

const level = notificationLevel.optional().describe('Absent: the next wider level counts')
const muteUntilMS = timeMS.optional().describe('Until then only messages that name the user are pushed')
/** Levels of single message types. */
export const typeLevels = z
  .array(z.strictObject({ messageType: z.string().min(1).max(128), level: notificationLevel }))
  .max(50)
  .refine((all) => new Set(all.map(({ messageType }) => messageType)).size === all.length, 'a type stands there twice')
const types = typeLevels.optional().describe('Levels of single message types, which come before `level`')

/** A user's notifications of a thread. */
export const threadNotifications = z.strictObject({ level, muteUntilMS }).meta({ id: 'ThreadNotifications', ...ours })
export type ThreadNotifications = z.infer<typeof threadNotifications>

/** A user's notifications of a room. */
export const roomNotifications = z
  .strictObject({ level, types, muteUntilMS })
  .meta({ id: 'NotificationsOfRoom', ...ours })
export type NotificationsOfRoom = z.infer<typeof roomNotifications>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const clockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'expected a time such as 22:00')

/** Times without any push, in the time zone of the user. */
export const doNotDisturb = z.strictObject({
  timeZone: z.string().max(64).refine(isTimeZone, 'expected a time zone such as Europe/Berlin'),
  times: z
    .array(
      z.strictObject({
        days: z.array(z.number().int().min(1).max(7)).min(1).max(7).describe('1 Monday to 7 Sunday'),
        from: clockTime,
        to: clockTime.describe('Not after `from`: on the next day'),
      }),
    )
    .min(1)
    .max(20),
})
export type DoNotDisturb = z.infer<typeof doNotDisturb>

/** A user's notifications, wherever a room or thread has no settings of its own. */
export const userNotifications = z
  .strictObject({ level, types, muteUntilMS, doNotDisturb: doNotDisturb.optional() })
  .meta({ id: 'UserNotifications', ...ours })
export type UserNotifications = z.infer<typeof userNotifications>

/** The configuration key of an app's notifications, and its value (docs/reference/push.md#settings-of-the-app). */
export const appNotificationsKey = 'notifications'
export const appNotifications = z.strictObject({
  levels: z
    .strictObject({ direct: notificationLevel.optional(), group: notificationLevel.optional() })
    .default({})
    .describe('For rooms of a type, where users have set none'),
  roomMentions: z
    .enum(['members', 'managers'])
    .default('managers')
    .describe('Those who may mention @room and @here in groups'),
  preview: z.boolean().default(true).describe('false: the texts of messages stay out of their pushes'),
  texts: z.array(pushText).max(100).default([]).describe('Without one that fits, the app localises the push itself'),
})
export type AppNotifications = z.infer<typeof appNotifications>
