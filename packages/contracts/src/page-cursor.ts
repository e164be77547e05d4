import { z } from 'zod'

/**
 * `cursor` of the previous page. The longest have the name of a room, 256 characters, or a member's key, which is three
 * IDs of 128 characters, in base64url.
 */
export const pageCursor = z.string().max(3_000).optional().describe('`cursor` of the previous page')
/** In the result of a list. */
export const nextCursor = z.string().optional().describe('For the next page; absent on the last one')
