import { z } from 'zod'

const date = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
const timeOfDay = String.raw`([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?`

/** An ISO-8601 date, or date and time; without an offset it is UTC. */
export const isoPattern = `${date}(T${timeOfDay})?`

/** A time in a body. Use cases parse it and refuse dates that do not exist. */
export const isoText = z.string().regex(new RegExp(`^${isoPattern}$`), 'expected an ISO-8601 time')

/** A time in a query: ISO-8601, or milliseconds since 1970-01-01 UTC. Use cases parse it and refuse anything else. */
export const timeParameter = z
  .string()
  .min(1)
  .describe('ISO-8601, or milliseconds since 1970-01-01 UTC')
  .meta({ pattern: `^(-?\\d{1,15}|${isoPattern})$` })

/** The same in a body, where milliseconds may also be a number. */
export const timeInBody = z.union([timeParameter, z.int()], 'expected an ISO-8601 time or milliseconds')
