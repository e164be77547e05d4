import type { UserPresence } from '@parley/contracts/resources/presence'
import type { Presence } from '@parley/presence/connect'
import { findUserStates } from '@parley/presence/user-states'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { toPresenceView } from '../views/presence.ts'
import { findWatchable } from './watchable-users.ts'

/**
 * The current presence of those users who share a room with the caller (docs/reference/presence.md).
 * @throws ApiError TOO_MANY_REQUESTS
 */
export async function readPresence(
  chat: Chat,
  presence: Presence,
  caller: UserCaller,
  clients: readonly string[],
): Promise<{ clients: UserPresence[] }> {
  const watchable = await findWatchable(chat, caller, [...new Set(clients)])
  const { states, isComplete } = await findUserStates(presence, caller.app, [...watchable.keys()], chat.control.nodes())
  const absent = isComplete ? 'offline' : 'unknown'
  return {
    clients: [...watchable].map(([client, rights]) => toPresenceView(client, rights, states.get(client) ?? absent)),
  }
}
