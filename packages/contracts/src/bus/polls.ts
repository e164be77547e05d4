import { z } from 'zod'

/** The result of a scan for due background work. An earlier release omits kinds that it does not know. */
export const workPoll = z.object({
  /** The scanned kinds. */
  kinds: z.array(z.string()),
  /** When work is due, in Unix milliseconds, by kind. A kind without work is absent. */
  due: z.record(z.string(), z.number()),
})
export type WorkPoll = z.infer<typeof workPoll>

/** A check of the event streams that found nothing wrong. `losses` counts all losses so far. */
export const streamPoll = z.object({ losses: z.number().int(), streams: z.number().int() })
export type StreamPoll = z.infer<typeof streamPoll>
