import { z } from 'zod'

/** `cursor` of the previous page. The longest hold the name of a room, or three IDs, as JSON in base64url. */
export const pageCursor = z.string().max(3_000).optional().describe('`cursor` of the previous page')
/** In the result of a list. */
export const nextCursor = z.string().optional().describe('For the next page; absent on the last one')
