import { ApiError } from '@parley/contracts/errors'
import { explainIssue, type Issue } from '@parley/contracts/explain-issue'
import { privateKeys, privateKeysKey } from '@parley/contracts/operations/integrations/config'
import { directoryKey } from '@parley/contracts/resources/directory'
import { moderateKey } from '@parley/contracts/resources/moderation-hook'
import { tokenIssuersKey } from '@parley/contracts/resources/token-issuer'
import { webhookKeysKey } from '@parley/contracts/resources/webhook'
import { findConfig, findConfigValue } from '@parley/db/apps/config'
import type { ConfigDoc } from '@parley/db/apps/documents'
import type { Db } from '@parley/db/connect'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { type CacheParts, createLeasedCache } from '../leased-cache.ts'
import { JsonText, jsonObjectText } from '../views/json-text.ts'

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

/** Private keys of an app without a list of its own. */
export const privateByDefault = [moderateKey, webhookKeysKey]

/**
 * The whole configuration of an app by key (docs/reference/configuration.md). Users do not see its private keys.
 * @param withIssuers whether an integrator sees `tokenIssuers`, whose secrets can sign tokens for any user
 */
export async function getConfig(chat: Chat, { app, kind }: Caller, withIssuers: boolean): Promise<JsonText> {
  const all = await findConfig(chat.db, app)
  if (kind === 'integrator') {
    return new JsonText(jsonObjectText(withIssuers ? all : all.filter(({ name }) => name !== tokenIssuersKey)))
  }
  const hidden = privateKeysIn(all)
  const shown = all.filter(({ name }) => !hidden.has(name))
  return new JsonText(jsonObjectText(shown.map((one) => (one.name === directoryKey ? withoutServer(one) : one))))
}

/** Users see that there is a directory, but not the URL of its server. */
function withoutServer({ name, json }: ConfigDoc): Pick<ConfigDoc, 'name' | 'json'> {
  return { name, json: json.startsWith('{') ? '{}' : json }
}

/** The configuration keys hidden from users. */
export function privateKeysIn(all: readonly { name: string; json: string }[]): ReadonlySet<string> {
  const given: unknown = JSON.parse(all.find(({ name }) => name === privateKeysKey)?.json ?? 'null')
  // Secrets of issuers can sign tokens for any user, so they are always hidden.
  return new Set([...(privateKeys.safeParse(given).data ?? privateByDefault), tokenIssuersKey])
}
