import { z } from 'zod'
import { isoTime, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'

const common = {
  appID: z.string(),
  blockee: z.object({
    _id: userId,
    id: userId,
    nickname: z.string(),
    avatarUrl: z.string(),
    lastLoginTimeMS: z.number(),
  }),
  blocker: z.string().describe('User who banned or blocked; empty for the API key'),
  createdAt: isoTime,
  updatedAt: isoTime.describe('Last change; after an unban, the time of the unban'),
}

/** A ban of a user in a room (docs/reference/moderation.md#bans). */
export const ban = z
  .object({
    ...common,
    room: roomId,
    untilMS: timeMS.optional().meta(ours).describe('When the ban ends; absent: never'),
  })
  .meta({ id: 'Ban' })
export type Ban = z.infer<typeof ban>

/** A personal block: like a ban, of one user by another, everywhere. */
export const block = z.object(common).meta({ id: 'Block', ...ours })
export type Block = z.infer<typeof block>
