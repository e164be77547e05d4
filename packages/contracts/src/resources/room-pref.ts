import { z } from 'zod'
import { isObject } from '../free-json.ts'

// Not a record: zod would leave out a tag `__proto__`.
const tagColors: z.ZodType<Record<string, string>> = z
  .any()
  .refine((given: unknown) => isObject(given) && Object.values(given).every((value) => typeof value === 'string'), {
    error: 'expected a colour for each tag',
  })
  .meta({ type: 'object', additionalProperties: { type: 'string' } })

/** A user's preferences for a room (docs/reference/rooms.md#preferences-and-mutes). */
export const roomPref = z
  .object({
    tags: z.array(z.string()),
    tagColors,
    hidden: z.boolean(),
    sticky: z.boolean(),
    muted: z.boolean(),
    folder: z.string(),
  })
  .meta({ id: 'RoomPref' })
export type RoomPref = z.infer<typeof roomPref>

export const defaultRoomPref: RoomPref = {
  tags: [],
  tagColors: {},
  hidden: false,
  sticky: false,
  muted: false,
  folder: '',
}

/** The `pref` filter of GET /rooms: fields that must match. `tags` may be a single tag. */
export const prefFilter = z.strictObject({
  ...roomPref.partial().shape,
  tags: z.union([z.string(), z.array(z.string())], 'expected a tag, or a list of tags').optional(),
})
export type PrefFilter = z.infer<typeof prefFilter>
