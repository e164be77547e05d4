import { z } from 'zod'

/**
 * A user ID or room ID: 1 to 128 characters, anything but control characters and lone surrogates.
 * It may hold spaces, dots, `*`, `>`, `/`, quotes and emoji (decisions.md, "Users"), so nothing may
 * put one raw into a bus subject, a Redis key, a socket topic or a URL.
 */
const freeId = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,128}$/u, '1 to 128 characters without control characters')

export const userId = freeId.describe('User ID')
export const roomId = freeId.describe('Room ID')

/** Message IDs are made by Parley (24 hexadecimal digits); as input, any other string is simply unknown. */
export const messageId = z.string().min(1).max(128).describe('Message ID')

/** Milliseconds since 1970-01-01 UTC. */
export const timeMS = z.number().int().describe('Milliseconds since 1970-01-01 UTC')

/** An ISO-8601 time as Parley writes it: UTC with milliseconds. */
export const isoTime = z.string().describe('ISO-8601 time')
