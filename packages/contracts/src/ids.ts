import { z } from 'zod'

const maxIdLength = 128
const wholeCharacters = 'expected whole characters: it has half of a surrogate pair'

/**
 * URL libraries take `.` and `..` out of a path, also percent-encoded (https://url.spec.whatwg.org/#path-state):
 * `/admin/clients/./token` becomes `/admin/clients/token`.
 */
export function isLostInPath(id: string): boolean {
  return id === '.' || id === '..'
}

/** A text that may stand in a path. */
export const inPath = <S extends z.ZodString>(text: S): S =>
  text.refine((id) => !isLostInPath(id), 'expected neither . nor ..').meta({ not: { enum: ['.', '..'] } })

/** An ID that Parley makes. */
export const madeId = (most = 128) => inPath(z.string().min(1).max(most))

/**
 * A user ID or room ID: 1 to 128 characters, anything but control characters and lone surrogates.
 * It may hold spaces, dots, `*`, `>`, `/`, quotes and emoji (docs/reference/README.md#conventions), so nothing may
 * put one raw into a bus subject, a Redis key, a socket topic or a URL.
 */
const freeId = inPath(z.string().min(1))
  // oxlint-disable-next-line no-control-regex -- control characters are what it keeps out
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected no control characters')
  .refine((id) => id.isWellFormed(), wholeCharacters)
  // Characters are code points: an emoji is one, although it has two units.
  .refine((id) => Array.from(id).length <= maxIdLength, `expected at most ${maxIdLength} characters`)
  .meta({ maxLength: maxIdLength })

/**
 * Text that is compared, or is part of a key. MongoDB turns a lone surrogate into U+FFFD, so such text would not be
 * found again.
 * @param most UTF-16 units
 */
export const comparedText = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => text.isWellFormed(), wholeCharacters)

/**
 * A name that people read: one line of whole characters.
 * @param most UTF-16 units
 */
export const shownName = (most: number) =>
  comparedText(most)
    // oxlint-disable-next-line no-control-regex -- control characters are what it keeps out
    .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'expected no control characters')

/** The resource that a value identifies. A derived schema (`.optional()`, `.describe(…)`) identifies the same. */
export type Named =
  | 'user'
  | 'room'
  | 'message'
  | 'group'
  | 'reaction'
  | 'preference'
  | 'configuration key'
  | 'failed call'
  | 'webhook call'
  | 'job'
  | 'report'
  | 'scheduled message'
  | 'file'
  | 'device'
  | 'API key'
  | 'operator'
  | 'operator session'
  | 'hold'
const names = z.registry<{ named: Named }>()

/**
 * Registers the resource that a schema's values identify. The OpenAPI document links operations that create it to those
 * that use it.
 */
export function naming<S extends z.ZodType>(named: Named, schema: S): S {
  names.add(schema, { named })
  return schema
}

/** The resource that a schema's values identify, if any. */
export function namedBy(schema: z.core.$ZodType): Named | undefined {
  return names.get(schema)?.named
}

export const userId = naming('user', freeId.describe('User ID'))
export const roomId = naming('room', freeId.describe('Room ID'))

/** Parley makes message IDs (24 hexadecimal digits); any other string is an unknown message. */
export const messageId = naming('message', madeId().describe('Message ID'))

/** Milliseconds since 1970-01-01 UTC. */
export const timeMS = z.number().int().describe('Milliseconds since 1970-01-01 UTC')

/** An ISO-8601 time as Parley writes it: UTC with milliseconds. */
export const isoTime = z.string().describe('ISO-8601 time')
