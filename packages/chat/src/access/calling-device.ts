import type { Presence } from '@parley/presence/connect'
import { findOnlineDevices } from '@parley/presence/online-devices'
import type { Chat } from '../chat.ts'
import type { UserCaller } from './caller.ts'

/**
 * The caller's device that sent a request.
 * @param forms possible device IDs, most likely first. Returns the first that is connected now; if none is, or
 * connections are unknown, the first of all
 */
export async function callingDevice(
  { log }: Pick<Chat, 'log'>,
  presence: Presence,
  { app, user }: UserCaller,
  forms: readonly string[],
): Promise<string | undefined> {
  if (forms.length <= 1) return forms[0]
  try {
    const connected = (await findOnlineDevices(presence, app, [user])).get(user)
    return forms.find((form) => connected?.has(form)) ?? forms[0]
  } catch (error) {
    log.warn({ err: error, app, user }, 'calling device uncertain: connected devices not read')
    return forms[0]
  }
}
