import { z } from 'zod'
import { roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { expiresInS, message } from './message.ts'
import { roomNotifications } from './push/notification-settings.ts'
import { retentionDays } from './retention.ts'
import { roomPref } from './room-pref.ts'
import { sender } from './sender.ts'

export const roomType = z.enum(['direct', 'group'])
export type RoomType = z.infer<typeof roomType>

/** Maximum number of summaries in `members` of a Room. */
export const maxMembersShown = 50

/**
 * A room (docs/reference/resources.md#room). Events are the same for every member, so they lack the fields that depend on
 * the caller: unread, muted, pref, lastMessage.
 */
export const room = z
  .object({
    _id: roomId,
    id: roomId,
    appID: z.string().meta(ours),
    name: z.string(),
    cover: z.string(),
    description: z.string(),
    roomType,
    webhook: z.string(),
    botState: z.string(),
    botMode: z.boolean(),
    encrypted: z.boolean(),
    serviceStatus: z.number(),
    roomTags: z.array(z.string()),
    status: z.number().int().describe('1 active, 0 frozen'),
    members: z.array(sender).describe('The first 50 members'),
    createdTimeMS: timeMS,
    unread: z.number().int().optional(),
    muted: z.boolean().optional(),
    lastMessage: message.optional(),
    pref: roomPref.optional(),
    // Inlined: a reference would drop the extension mark.
    notifications: z
      .strictObject(roomNotifications.shape)
      .optional()
      .meta(ours)
      .describe('NotificationsOfRoom of the caller; absent if not set'),
    memberCount: z.number().int().meta(ours),
    owner: userId.optional().meta(ours),
    managers: z.array(userId).meta(ours),
    opening: z.number().int().meta(ours).describe('0 closed to joining and invitations, 1 open'),
    // Not a record: zod would leave out a field `__proto__`.
    extParams: z.any().meta({ type: 'object', additionalProperties: {}, ...ours }),
    slowModeS: z
      .number()
      .int()
      .optional()
      .meta(ours)
      .describe('Minimum seconds between two messages of a member; absent: no limit'),
    expiresInS: expiresInS
      .optional()
      .meta(ours)
      .describe('Seconds until a message without its own expiresInS expires; absent: never'),
    retentionDays: retentionDays
      .optional()
      .meta(ours)
      .describe('Days until messages are removed; absent: as in the configuration `retention`'),
  })
  .meta({ id: 'Room' })
export type Room = z.infer<typeof room>
