import { ApiError } from '@parley/contracts/errors'
import type { Operation } from '@parley/contracts/operation'
import { z } from 'zod'

/**
 * Refuses numbers in a query that are not written in decimal, or given twice. JavaScript would also read
 * `0x10`, `1e3`, blanks and `Infinity` as numbers.
 *
 * @throws ApiError INVALID_QUERY, or the operation's own code for a bad query
 */
export function requireDecimals({ query, invalid }: Operation, given: Record<string, unknown>): void {
  for (const [name, schema] of Object.entries(query?.shape ?? {})) {
    const text = given[name]
    if (text === undefined || text === '' || !isNumber(schema)) continue
    if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text)) {
      throw new ApiError(invalid?.query ?? 'INVALID_QUERY', `${name}: expected a whole number`)
    }
  }
}

function isNumber(schema: z.core.$ZodType): boolean {
  let inner = schema
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap()
  }
  return inner instanceof z.ZodNumber
}
