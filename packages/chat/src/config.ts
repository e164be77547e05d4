import { ApiError } from '@parley/contracts/errors'
import { findConfig, removeConfig, saveConfig } from '@parley/db/config'
import type { Chat } from './chat.ts'
import { jsonObject } from './json-object.ts'

const maxKeyLength = 128

/** All configuration of an app, by key (interface.md, "Configuration"). */
export async function getConfig(chat: Chat, app: string): Promise<Record<string, unknown>> {
  return jsonObject(await findConfig(chat.db, app))
}

/**
 * Sets each key of `settings`, overwriting keys of the same name and leaving the others; answers the whole
 * configuration. It holds at once, on every gateway.
 * @throws ApiError INVALID_BODY when a key is empty or over 128 characters
 */
export async function setConfig(chat: Chat, app: string, settings: object): Promise<Record<string, unknown>> {
  const entries = Object.entries(settings).map(([name, value]) => ({ name, json: JSON.stringify(value) }))
  for (const { name } of entries) {
    if (name === '' || !name.isWellFormed() || Array.from(name).length > maxKeyLength) {
      const shown = JSON.stringify(name.slice(0, maxKeyLength))
      throw new ApiError('INVALID_BODY', `key ${shown}: expected 1 to ${maxKeyLength} characters`)
    }
  }
  await saveConfig(chat.db, app, entries)
  return getConfig(chat, app)
}

/** @throws ApiError CONFIG_NOT_FOUND */
export async function deleteConfigKey(chat: Chat, app: string, key: string): Promise<Record<string, never>> {
  if (!(await removeConfig(chat.db, app, key))) {
    throw new ApiError('CONFIG_NOT_FOUND', `key: no configuration ${JSON.stringify(key)}`)
  }
  return {}
}
