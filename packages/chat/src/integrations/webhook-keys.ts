import { ApiError } from '@parley/contracts/errors'
import { webhookKeys, webhookKeysKey, webhookUrl } from '@parley/contracts/resources/webhook'
import type { Db } from '@parley/db/connect'
import { readConfigValue } from './config-values.ts'

/** The URL of a room's `webhook`: itself, or that of its configuration key; undefined if there is none. */
export async function webhookUrlOf(db: Db, app: string, webhook: string): Promise<string | undefined> {
  if (webhook === '' || webhookUrl.safeParse(webhook).success) return webhook || undefined
  const urls = (await readConfigValue(db, app, webhookKeysKey, webhookKeys)) ?? {}
  return new Map(Object.entries(urls)).get(webhook)
}

/** @throws ApiError INVALID_REQUEST if a webhook is neither a URL nor a configuration key; an empty one means none */
export async function requireWebhook(db: Db, app: string, webhook: string | undefined): Promise<void> {
  if (!webhook || (await webhookUrlOf(db, app, webhook)) !== undefined) return
  const name = JSON.stringify(webhook)
  throw new ApiError('INVALID_REQUEST', `webhook: ${name} is neither an http(s) URL nor a key of ${webhookKeysKey}`)
}
