import { findConfig } from '@parley/db/apps/config'
import type { Chat } from '../chat.ts'
import { jsonObject } from '../views/json-object.ts'

/** All configuration of an app, by key (docs/reference/configuration.md). */
export async function getConfig(chat: Chat, app: string): Promise<Record<string, unknown>> {
  return jsonObject(await findConfig(chat.db, app))
}
