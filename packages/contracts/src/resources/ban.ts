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
  blocker: z.string().describe('The banning user; empty for the API key'),
  createdAt: isoTime,
  updatedAt: isoTime.describe('Last change; on unban the unban time'),
}

/** A ban of a user in a room (docs/reference/moderation.md#bans). */
export const ban = z
  .object({
    ...common,
    room: roomId,
    untilMS: timeMS.optional().meta(ours).describe('When it ends; absent in one without end'),
  })
  .meta({ id: 'Ban' })
export type Ban = z.infer<typeof ban>

/** A personal block: like a ban, of one user by another, everywhere. */
export const block = z.object(common).meta({ id: 'Block', ...ours })
export type Block = z.infer<typeof block>
