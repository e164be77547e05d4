import { isPresenceAway, type Presence } from './connect.ts'
import { readReports } from './node-reports.ts'

/** The states of connected users: online if any device is active, away if all devices are away. */
export interface UserStates {
  states: Map<string, 'online' | 'away'>
  /** Redis responded and has every live node's report, so users not in `states` are offline. */
  isComplete: boolean
}

/**
 * The connection states of users over all nodes. Two round trips.
 * @param alive nodes known to be alive by other means; their reports are required
 */
export async function findUserStates(
  presence: Presence,
  app: string,
  users: readonly string[],
  alive: readonly string[],
): Promise<UserStates> {
  const states: UserStates['states'] = new Map()
  try {
    const { reports, silent } = await readReports(presence, app, users, alive)
    for (const { user, held } of reports) {
      const isAway = held.every((device) => typeof device !== 'string')
      if (!isAway || !states.has(user)) states.set(user, isAway ? 'away' : 'online')
    }
    return { states, isComplete: silent.size === 0 }
  } catch (error) {
    if (!isPresenceAway(error)) throw error
    return { states, isComplete: false }
  }
}
