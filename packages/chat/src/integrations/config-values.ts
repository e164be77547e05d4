import { ApiError } from '@parley/contracts/errors'
import { explainIssue, type Issue } from '@parley/contracts/explain-issue'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { type CacheParts, createLeasedCache } from '../leased-cache.ts'

const maxApps = 10_000

interface ConfigSchema<T> {
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

/**
 * Caches what `read` derives from an app's configuration. Returns a function that throws the error of `read`.
 * @param what names it in the log
 */
export function cacheByApp<T extends object>(
  { log, cacheLease }: CacheParts,
  what: string,
  read: (app: string) => Promise<T>,
): (app: string) => Promise<T> {
  const cache = createLeasedCache<T>(cacheLease, maxApps, (error, app) =>
    log.warn({ err: error, app, what }, 'configuration not read again'),
  )
  cacheLease?.onStale((app, command) => {
    if (command.do === 'configChanged' || command.do === 'appDeleted') cache.forget(app)
  })
  return (app) => cache.get(app, () => read(app))
}
