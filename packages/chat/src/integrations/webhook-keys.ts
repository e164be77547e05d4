import { ApiError } from '@parley/contracts/errors'
import { webhookKeys, webhookKeysKey, webhookUrl } from '@parley/contracts/resources/webhook'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'

/**
 * The current URL of a room's `webhook`: the value itself, or the URL of its configuration key; undefined if there is
 * none.
 */
export async function webhookUrlOf(db: Db, app: string, webhook: string): Promise<string | undefined> {
  if (webhook === '' || webhookUrl.safeParse(webhook).success) return webhook || undefined
  const value = await findConfigValue(db, app, webhookKeysKey)
  const keys = new Map(Object.entries(webhookKeys.safeParse(value && JSON.parse(value.json)).data ?? {}))
  return keys.get(webhook)
}

/** @throws ApiError INVALID_REQUEST if a webhook is neither a URL nor a configuration key; an empty one means none */
export async function requireWebhook(db: Db, app: string, webhook: string | undefined): Promise<void> {
  if (!webhook || (await webhookUrlOf(db, app, webhook)) !== undefined) return
  const name = JSON.stringify(webhook)
  throw new ApiError('INVALID_REQUEST', `webhook: ${name} is neither an http(s) URL nor a key of ${webhookKeysKey}`)
}
