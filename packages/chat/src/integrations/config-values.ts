import { ApiError } from '@parley/contracts/errors'
import { explainIssue, type Issue } from '@parley/contracts/explain-issue'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { LRUCache } from 'lru-cache'

/** A schema of the contract. */
export interface ConfigSchema<T> {
  safeParse(value: unknown): {
    data?: T | undefined
    error?: { issues: readonly Issue[] } | undefined
  }
}

/** Parses the value of a configuration key; undefined for null. @throws ApiError INVALID_BODY naming the field */
export function checkConfigValue<T>(key: string, schema: ConfigSchema<T>, value: unknown): T | undefined {
  if (value === null) return undefined
  const { data, error } = schema.safeParse(value)
  const [issue] = error?.issues ?? []
  if (issue) throw new ApiError('INVALID_BODY', explainIssue({ ...issue, path: [key, ...issue.path] }))
  return data
}

/** An app's value of a configuration key; undefined if it is not set or does not match the schema. */
export async function readConfigValue<T>(
  db: Db,
  app: string,
  key: string,
  schema: ConfigSchema<T>,
): Promise<T | undefined> {
  const found = await findConfigValue(db, app, key)
  return schema.safeParse(found && JSON.parse(found.json)).data
}

/** A configuration change takes effect in every process within this time. */
const cacheMS = 2_000

/**
 * Caches what `read` derives from an app's configuration.
 * @param whenAway `keep`: while the database is away, the old configuration applies; `fail`: the error of `read` is thrown
 */
export function cacheByApp<T extends boolean | object>(
  read: (app: string) => Promise<T>,
  whenAway: 'keep' | 'fail',
): (app: string) => Promise<T> {
  const cache = new LRUCache<string, T>({
    max: 10_000,
    ttl: cacheMS,
    fetchMethod: (app) => read(app),
    allowStaleOnFetchRejection: whenAway === 'keep',
    noDeleteOnFetchRejection: whenAway === 'keep',
  })
  // Never undefined, like the results of `read`.
  return (app) => cache.fetch(app) as Promise<T>
}
