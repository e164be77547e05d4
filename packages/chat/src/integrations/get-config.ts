import { findConfig } from '@parley/db/apps/config'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { moderateKey } from '../moderation/moderation-hook.ts'
import { JsonText, jsonObjectText } from '../views/json-text.ts'

/** All configuration of an app, by key (docs/reference/configuration.md); the hook is for the integrator alone. */
export async function getConfig(chat: Chat, { app, kind }: Caller): Promise<JsonText> {
  const all = await findConfig(chat.db, app)
  const shown = kind === 'integrator' ? all : all.filter(({ name }) => name !== moderateKey)
  return new JsonText(jsonObjectText(shown))
}
