import { z } from 'zod'
import { isoTime, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { robotCommand } from './command.ts'

const address = z
  .object({
    // uWebSockets.js exposes it only from Node 24 on, and proxies may hide it.
    port: z.number().optional().describe('Absent if unknown, as behind a proxy that hides it'),
    family: z.string(),
    address: z.string(),
  })
  .meta({ id: 'Address' })
export type Address = z.infer<typeof address>

const profile = {
  _id: userId,
  id: userId,
  appID: z.string(),
  nickname: z.string(),
  description: z.string(),
  email: z.string().optional(),
  avatarUrl: z.string(),
  address: address.optional().describe('Last connection address; absent before the first connection'),
  userAgent: z.string().optional(),
  isRobot: z.boolean(),
  commands: z.array(robotCommand).optional().meta(ours).describe('`/name` commands of a robot'),
  mute: z.array(roomId).describe('IDs of the rooms that the user muted'),
  createdAt: isoTime.meta(ours),
  updatedAt: isoTime,
  lastJoinOrCreateRoomTime: isoTime.optional(),
  lastLoginTimeMS: z.number().describe('0 if the user never logged in'),
  __v: z.number().int(),
}

/** A user's own profile (docs/reference/resources.md#user). */
export const user = z.object(profile).meta({ id: 'User' })
export type User = z.infer<typeof user>

/** A user as API keys see it, with fields that users never see. */
export const adminUser = z
  .object({
    ...profile,
    isAdmin: z.boolean().meta(ours),
    ban: z
      .object({ atMS: timeMS, untilMS: timeMS.optional() })
      .optional()
      .meta(ours)
      .describe('Only while the user is banned from the app'),
  })
  .meta({ id: 'AdminUser' })
export type AdminUser = z.infer<typeof adminUser>

/** The token fields are present only if a token was issued or bound. */
export const savedUser = z
  .object({ ...adminUser.shape, token: z.string().optional(), expirationDate: isoTime.optional() })
  .meta({ id: 'SavedUser' })
export type SavedUser = z.infer<typeof savedUser>
