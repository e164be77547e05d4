import { z } from 'zod'
import { roomId, timeMS, userId } from '../ids.ts'
import { message } from './message.ts'
import { roomPref } from './room-pref.ts'
import { sender } from './sender.ts'

export const roomType = z.enum(['direct', 'group'])
export type RoomType = z.infer<typeof roomType>

/** `members` of a Room holds at most this many summaries; `memberCount` says how many there are. */
export const maxMembersShown = 50

/**
 * Room (interface.md, "Room"). The fields that depend on who asks (unread, muted, pref, lastMessage)
 * are absent from events, which are the same for every member.
 */
export const room = z
  .object({
    _id: roomId,
    id: roomId,
    appID: z.string(),
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
    memberCount: z.number().int().meta({ 'x-extension': true }),
    owner: userId.optional().meta({ 'x-extension': true }),
    managers: z.array(userId).meta({ 'x-extension': true }),
    opening: z.number().int().meta({ 'x-extension': true }).describe('0 closed to joining and invitations, 1 open'),
    extParams: z.record(z.string(), z.unknown()).meta({ 'x-extension': true }),
  })
  .meta({ id: 'Room' })
export type Room = z.infer<typeof room>
