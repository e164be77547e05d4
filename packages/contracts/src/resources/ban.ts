import { z } from 'zod'
import { isoTime, roomId, userId } from '../ids.ts'

const common = {
  appID: z.string(),
  blockee: z.object({
    _id: userId,
    id: userId,
    nickname: z.string(),
    avatarUrl: z.string(),
    lastLoginTimeMS: z.number(),
  }),
  blocker: userId,
  createdAt: isoTime,
  updatedAt: isoTime.describe('Last change; on unban the unban time'),
}

/** Ban record (interface.md, "Ban record"). */
export const ban = z.object({ ...common, room: roomId }).meta({ id: 'Ban' })
export type Ban = z.infer<typeof ban>

/** A personal block: like a ban, of one user by another, everywhere. */
export const block = z.object(common).meta({ id: 'Block' })
export type Block = z.infer<typeof block>
