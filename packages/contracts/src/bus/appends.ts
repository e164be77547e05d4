import { z } from 'zod'

/**
 * Messages for one room, which a gateway has made and asks another to append, since it writes to the room anyway. They hold
 * only if the room (`rev`) and the configuration of its app (`mark`) are still those that were decided by: the write proves both.
 */
const roomAppend = z.object({
  app: z.string(),
  room: z.string(),
  /** null: nobody has changed the room yet. */
  rev: z.number().nullable(),
  /** null: the configuration was never changed. */
  mark: z.string().nullable(),
  /** About as many as they take in the tail. */
  bytes: z.number().int(),
  /** As the tail of the room has them, less `seq` and `createdAtMS`. */
  messages: z.array(z.looseObject({ _id: z.string(), sender: z.string() })).min(1),
})
export type RoomAppend = z.infer<typeof roomAppend>

/** What travels on `appendsSubject`. */
export const appendOrder = z.object({ rooms: z.array(roomAppend) })

/**
 * What became of one: the messages have `seq` and those that follow it, at these times. 'notWritten': and never will be.
 * 'unknown': it may still be written, until the room has another `rev`.
 */
const appendOutcome = z.union([
  z.object({ seq: z.number().int(), timesMS: z.array(z.number().int()) }),
  z.literal('notWritten'),
  z.literal('unknown'),
])
export type AppendOutcome = z.infer<typeof appendOutcome>

/** The reply: one outcome per room, in order. */
export const appendReply = z.object({ outcomes: z.array(appendOutcome) })
