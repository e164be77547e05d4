import { ApiError } from '@parley/contracts/errors'
import { maxPrefBytes } from '@parley/contracts/operations/me'
import { deletePref, findPrefs, savePref } from '@parley/db/prefs'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { jsonObject } from './json-object.ts'
import { tellUser } from './tell-user.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>

/** All personal preferences of a user, by key (decisions.md, "Rooms and members"). */
export async function listMyPrefs(chat: Chat, { app, user }: Caller): Promise<Record<string, unknown>> {
  return jsonObject(await findPrefs(chat.db, app, user))
}

/**
 * Sets a personal preference and tells the user's other devices by myPrefChange.
 * @throws ApiError INVALID_REQUEST when the value is over 16 KiB as JSON
 */
export async function setMyPref(
  chat: Chat,
  { app, user }: Caller,
  key: string,
  data: unknown,
  device?: string,
): Promise<{ key: string; data: unknown }> {
  const json = JSON.stringify(data)
  if (Buffer.byteLength(json) > maxPrefBytes) {
    throw new ApiError('INVALID_REQUEST', `data: at most ${maxPrefBytes} bytes as JSON`)
  }
  await savePref(chat.db, app, user, key, json)
  await tellUser(chat, { app, user }, 'myPrefChange', { data, key }, device)
  return { key, data }
}

/** @throws ApiError PREF_NOT_FOUND */
export async function deleteMyPref(
  chat: Chat,
  { app, user }: Caller,
  key: string,
  device?: string,
): Promise<Record<string, never>> {
  if (!(await deletePref(chat.db, app, user, key))) {
    throw new ApiError('PREF_NOT_FOUND', `key: no preference ${JSON.stringify(key)}`)
  }
  await tellUser(chat, { app, user }, 'myPrefDelete', key, device)
  return {}
}
