import type { OptionalPage } from '@parley/contracts/optional-page'
import { findPrefs } from '@parley/db/users/prefs'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { jsonObject } from '../views/json-object.ts'

/** The personal preferences of a user, by key (docs/reference/users.md#personal-preferences). */
export async function listMyPrefs(
  chat: Chat,
  { app, user }: UserCaller,
  page: OptionalPage,
): Promise<Record<string, unknown>> {
  return jsonObject(await findPrefs(chat.db, app, user, page))
}
