import { z } from 'zod'

/** Room preference of one user (interface.md, "Room preference"). */
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
