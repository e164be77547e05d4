import { publishPresenceEvent } from '@parley/bus/events/presence-events'
import { ApiError } from '@parley/contracts/errors'
import { maxPrefBytes, maxPrefs } from '@parley/contracts/operations/users/preferences'
import type { OptionalPage } from '@parley/contracts/optional-page'
import { hidePresencePref } from '@parley/contracts/resources/presence'
import type { User } from '@parley/contracts/resources/user'
import { countPrefs, deletePref, findPrefs, savePref } from '@parley/db/users/prefs'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { lockCaller } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { JsonText, jsonObjectText } from '../views/json-text.ts'
import { toUserView } from '../views/user.ts'

/** @throws ApiError CLIENT_NOT_FOUND if the caller was erased meanwhile */
export async function getMe(chat: Chat, { app, user }: UserCaller): Promise<User> {
  const found = await findUser(chat.db, app, user)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(user)}`)
  return toUserView(chat.db, found)
}

/** The personal preferences of a user, by key (docs/reference/users.md#personal-preferences). */
export async function listMyPrefs(chat: Chat, { app, user }: UserCaller, page: OptionalPage): Promise<JsonText> {
  return new JsonText(jsonObjectText(await findPrefs(chat.db, app, user, page)))
}

/** Sets a personal preference and emits myPrefChange. @throws ApiError INVALID_REQUEST over 16 KiB, TOO_MANY_PREFS */
export async function setMyPref(
  chat: Chat,
  caller: UserCaller,
  key: string,
  data: unknown,
  device?: string,
): Promise<{ key: string; data: unknown }> {
  const json = JSON.stringify(data)
  if (Buffer.byteLength(json) > maxPrefBytes) {
    throw new ApiError('INVALID_REQUEST', `data: at most ${maxPrefBytes} bytes as JSON`)
  }
  await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    await lockCaller(chat.db, caller, session)
    const isNew = await savePref(chat.db, caller, key, json, session)
    // A process makes the changes of a user one by one, so concurrent gateways may exceed the limit by one each.
    if (isNew && (await countPrefs(chat.db, caller, maxPrefs + 1, session)) > maxPrefs) {
      throw new ApiError('TOO_MANY_PREFS', `key: a user has at most ${maxPrefs} preferences`)
    }
    notifyUser(pending, caller, 'myPrefChange', { data, key }, device)
  })
  if (key === hidePresencePref) publishPresenceEvent(chat.bus, caller, 'rights')
  return { key, data }
}

/** @throws ApiError PREF_NOT_FOUND */
export async function deleteMyPref(
  chat: Chat,
  caller: UserCaller,
  key: string,
  device?: string,
): Promise<Record<string, never>> {
  await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    if (!(await deletePref(chat.db, caller, key, session))) {
      throw new ApiError('PREF_NOT_FOUND', `key: no preference ${JSON.stringify(key)}`)
    }
    notifyUser(pending, caller, 'myPrefDelete', key, device)
  })
  if (key === hidePresencePref) publishPresenceEvent(chat.bus, caller, 'rights')
  return {}
}
