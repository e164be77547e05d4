import { BadEvent, type StreamMessage } from '@parley/bus/consume'
import type { z } from 'zod'

/** What a message of the stream says. @throws BadEvent when it is not of the contract: it would never be. */
export function readPayload<S extends z.ZodType>({ data, subject }: StreamMessage, schema: S): z.output<S> {
  const parsed = schema.safeParse(asJson(Buffer.from(data).toString()))
  if (!parsed.success) throw new BadEvent(`not of the contract: ${subject}`, { cause: parsed.error })
  return parsed.data
}

/** The value of a JSON text; undefined when it is none. */
export function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
