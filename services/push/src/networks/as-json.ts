import { readJson } from '@parley/contracts/free-json'
import type { z } from 'zod'

/** The value of a JSON text as readJson reads it; undefined when it is not JSON. */
export function asJson(text: string, schema?: z.ZodType): unknown {
  try {
    return readJson(text, schema)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
