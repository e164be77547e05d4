import { z } from 'zod'

/** A user's preferences for a room (docs/reference/rooms.md#preferences-and-mutes). */
export const roomPref = z
  .object({
    tags: z.array(z.string()),
    tagColors: z.record(z.string(), z.string()),
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

/** The `pref` filter of GET /rooms: the fields that must match; `tags` may also be one tag. */
export const prefFilter = z.strictObject({
  ...roomPref.partial().shape,
  tags: z.union([z.string(), z.array(z.string())]).optional(),
})
export type PrefFilter = z.infer<typeof prefFilter>
