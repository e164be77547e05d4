import { findConfig } from '@parley/db/apps/config'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { moderateKey } from '../moderation/moderation-hook.ts'
import { jsonObject } from '../views/json-object.ts'

/** All configuration of an app, by key (docs/reference/configuration.md); the hook is for the integrator alone. */
export async function getConfig(chat: Chat, { app, kind }: Caller): Promise<Record<string, unknown>> {
  const all = await findConfig(chat.db, app)
  return jsonObject(kind === 'integrator' ? all : all.filter(({ name }) => name !== moderateKey))
}
