import type { OptionalPage } from '@parley/contracts/optional-page'
import { findPrefs } from '@parley/db/users/prefs'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { JsonText, jsonObjectText } from '../views/json-text.ts'

/** The personal preferences of a user, by key (docs/reference/users.md#personal-preferences). */
export async function listMyPrefs(chat: Chat, { app, user }: UserCaller, page: OptionalPage): Promise<JsonText> {
  return new JsonText(jsonObjectText(await findPrefs(chat.db, app, user, page)))
}
