import { ApiError } from '@parley/contracts/errors'

/** A schema of the contract. */
export interface ConfigSchema<T> {
  safeParse(value: unknown): {
    data?: T | undefined
    error?: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined
  }
}

/**
 * The value of a configuration key by its schema; undefined for null, which is none.
 * @throws ApiError INVALID_BODY that names the field
 */
export function checkConfigValue<T>(key: string, schema: ConfigSchema<T>, value: unknown): T | undefined {
  if (value === null) return undefined
  const { data, error } = schema.safeParse(value)
  const [issue] = error?.issues ?? []
  if (issue) throw new ApiError('INVALID_BODY', `${[key, ...issue.path].join('.')}: ${issue.message}`)
  return data
}
