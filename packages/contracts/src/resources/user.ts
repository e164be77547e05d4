import { z } from 'zod'
import { isoTime, roomId, userId } from '../ids.ts'

const address = z.object({ port: z.number(), family: z.string(), address: z.string() }).meta({ id: 'Address' })
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
  mute: z.array(roomId).describe('IDs of the rooms that this user muted'),
  createdAt: isoTime,
  updatedAt: isoTime,
  lastJoinOrCreateRoomTime: isoTime.optional(),
  lastLoginTimeMS: z.number().describe('0 when the user never logged in'),
  __v: z.number().int(),
}

/** A user as users see themselves (interface.md, "User (client)"). */
export const user = z.object(profile).meta({ id: 'User' })
export type User = z.infer<typeof user>

/** A user in answers to an API key: with `isAdmin`, which users never see. */
export const adminUser = z
  .object({ ...profile, isAdmin: z.boolean().meta({ 'x-extension': true }) })
  .meta({ id: 'AdminUser' })
export type AdminUser = z.infer<typeof adminUser>

/** The token fields stand only in answers of token-issuing and token-binding operations. */
export const savedUser = z
  .object({ ...adminUser.shape, token: z.string().optional(), expirationDate: isoTime.optional() })
  .meta({ id: 'SavedUser' })
export type SavedUser = z.infer<typeof savedUser>
