import type { Presence } from '@parley/presence/connect'
import { findOnlineDevices } from '@parley/presence/online-devices'
import type { Chat } from '../chat.ts'
import type { UserCaller } from './caller.ts'

/**
 * Which of the caller's devices a request comes from.
 * @param forms the possible device IDs, the likeliest first. Returns the first under which the user is
 *   connected now, and the very first when there is none, or that cannot be known
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
    log.warn({ err: error, app, user }, 'calling device not certain: connected devices not read')
    return forms[0]
  }
}
