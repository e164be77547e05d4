import { z } from 'zod'
import { comparedText, latestMS, timeMS } from '../../ids.ts'
import { ours } from '../../ours.ts'
import { pushTexts } from './text.ts'

/** Which messages are pushed: all, those that mention the user, or none (docs/reference/push.md#levels). */
const notificationLevel = z.enum(['all', 'mentions', 'none'])

const level = notificationLevel.optional().describe('Default: the next wider level')
const muteUntilMS = timeMS
  .min(0)
  .max(latestMS)
  .optional()
  .describe('Until then, only messages that mention the user by ID are pushed')
/** Levels by message type. */
export const typeLevels = z
  .array(z.strictObject({ messageType: comparedText(128).min(1), level: notificationLevel }))
  .max(50)
  .refine((all) => new Set(all.map(({ messageType }) => messageType)).size === all.length, 'expected each type once')
const types = typeLevels.optional().describe('Levels by message type, which override `level`')

/** A user's notification settings for a thread. */
export const threadNotifications = z.strictObject({ level, muteUntilMS }).meta({ id: 'ThreadNotifications', ...ours })
export type ThreadNotifications = z.infer<typeof threadNotifications>

/** A user's notification settings for a room. */
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

/** Times without pushes, in the user's time zone. */
export const doNotDisturb = z.strictObject({
  timeZone: z.string().max(64).refine(isTimeZone, 'expected a time zone such as Europe/Berlin'),
  times: z
    .array(
      z.strictObject({
        days: z.array(z.number().int().min(1).max(7)).min(1).max(7).describe('1 Monday to 7 Sunday'),
        from: clockTime,
        to: clockTime.describe('On the next day unless after `from`'),
      }),
    )
    .min(1)
    .max(20),
})

/** A user's notification settings where a room or thread has none. */
export const userNotifications = z
  .strictObject({ level, types, muteUntilMS, doNotDisturb: doNotDisturb.optional() })
  .meta({ id: 'UserNotifications', ...ours })
export type UserNotifications = z.infer<typeof userNotifications>

/** Configuration key of an app's notification settings (docs/reference/push.md#settings-of-the-app). */
export const appNotificationsKey = 'notifications'
export const appNotifications = z.strictObject({
  levels: z
    .strictObject({ direct: notificationLevel.optional(), group: notificationLevel.optional() })
    .default({})
    .describe('Default levels by room type'),
  roomMentions: z
    .enum(['members', 'managers'])
    .default('managers')
    .describe('Members who may use @room and @here in groups'),
  preview: z.boolean().default(true).describe('false: pushes do not contain message texts'),
  texts: pushTexts.default([]).describe('If none fits, the app localizes the push itself'),
})
export type AppNotifications = z.infer<typeof appNotifications>
