import { z } from 'zod'

/**
 * A look for background work that is due. Kinds that it does not name were not looked for, as a process of an earlier
 * release does with those of a later one.
 */
export const workLook = z.object({
  /** The kinds that were looked for. */
  kinds: z.array(z.string()),
  /** When work is due, in Unix milliseconds, by kind; a kind without any for now is absent. */
  due: z.record(z.string(), z.number()),
})
export type WorkLook = z.infer<typeof workLook>

/** A look at the streams of events that found nothing wrong, after so many losses in all. */
export const streamLook = z.object({ losses: z.number().int(), streams: z.number().int() })
export type StreamLook = z.infer<typeof streamLook>
