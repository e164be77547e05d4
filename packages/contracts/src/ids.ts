import { z } from 'zod'

const maxIdLength = 128

/**
 * A user ID or room ID: 1 to 128 characters, anything but control characters and lone surrogates.
 * It may hold spaces, dots, `*`, `>`, `/`, quotes and emoji (decisions.md, "Users"), so nothing may
 * put one raw into a bus subject, a Redis key, a socket topic or a URL.
 */
const freeId = z
  .string()
  .min(1)
  // oxlint-disable-next-line no-control-regex -- control characters are what it keeps out
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected no control characters')
  // Characters are code points: an emoji is one, although it has two units.
  .refine(
    (id) => id.isWellFormed() && Array.from(id).length <= maxIdLength,
    `expected at most ${maxIdLength} characters`,
  )
  .meta({ maxLength: maxIdLength })

export const userId = freeId.describe('User ID')
export const roomId = freeId.describe('Room ID')

/** Message IDs are made by Parley (24 hexadecimal digits); as input, any other string is simply unknown. */
export const messageId = z.string().min(1).max(128).describe('Message ID')

/** Milliseconds since 1970-01-01 UTC. */
export const timeMS = z.number().int().describe('Milliseconds since 1970-01-01 UTC')

/** An ISO-8601 time as Parley writes it: UTC with milliseconds. */
export const isoTime = z.string().describe('ISO-8601 time')
