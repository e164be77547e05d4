import { isPresenceAway, type Presence } from './connect.ts'
import { nodesKey } from './connection-counts.ts'
import { type HeldDevice, onlineKey, spoken, userField, usersPerWrite } from './device-hash.ts'

/** The states of connected users: online if any device is active, away if all devices are away. */
export interface UserStates {
  states: Map<string, 'online' | 'away'>
  /** Redis responded and has every live node's report, so users not in `states` are offline. */
  isComplete: boolean
}

/**
 * The connection states of users over all nodes. Two round trips, with one command per node and 1,000 users.
 * @param alive nodes known to be alive by other means; their reports are required
 */
export async function findUserStates(
  presence: Presence,
  app: string,
  users: readonly string[],
  alive: readonly string[],
): Promise<UserStates> {
  const states: UserStates['states'] = new Map()
  if (users.length === 0) return { states, isComplete: true }
  try {
    const nodes = new Set([...(await presence.redis.zrange(nodesKey, '0', '-1')), ...alive])
    const parts = Array.from({ length: Math.ceil(users.length / usersPerWrite) }, (_, i) =>
      users.slice(i * usersPerWrite, (i + 1) * usersPerWrite),
    )
    const complete = await Promise.all(
      [...nodes].flatMap((node) =>
        parts.map(async (part) => {
          const fields = [spoken, ...part.map((user) => userField(app, user))]
          const [hasSpoken, ...held] = await presence.redis.hmget(onlineKey(node), ...fields)
          held.forEach((json, i) => {
            if (json === null) return
            const user = part[i] as string
            const isAway = (JSON.parse(json) as HeldDevice[]).every((held) => typeof held !== 'string')
            if (!isAway || !states.has(user)) states.set(user, isAway ? 'away' : 'online')
          })
          return hasSpoken !== null || !alive.includes(node)
        }),
      ),
    )
    return { states, isComplete: !complete.includes(false) }
  } catch (error) {
    if (!isPresenceAway(error)) throw error
    return { states, isComplete: false }
  }
}
