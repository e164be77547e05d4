import type { Presence } from './connect.ts'
import { nodesKey } from './connection-counts.ts'
import { onlineKey, readReports, reportedField, userField, usersPerWrite } from './node-reports.ts'

/** Pages through all connected users. A user on two nodes appears twice. */
export async function* pageOnlineUsers(presence: Presence): AsyncGenerator<{ app: string; user: string }[]> {
  for (const node of await presence.redis.zrange(nodesKey, '0', '-1')) {
    for (let cursor = '0'; ; ) {
      const [next, fields] = await presence.redis.hscan(onlineKey(node), cursor, 'COUNT', usersPerWrite)
      const names = fields.filter((_, i) => i % 2 === 0).filter((name) => name !== reportedField)
      if (names.length > 0) {
        yield names.map((name) => {
          const [app = '', user = ''] = name.split('\0')
          return { app, user }
        })
      }
      if (next === '0') break
      cursor = next
    }
  }
}

/** The nodes that have reported without a device of these users. One round trip. @throws if Redis is down */
export async function findNodesWithout(
  presence: Presence,
  nodes: readonly string[],
  app: string,
  users: readonly string[],
): Promise<Set<string>> {
  const fields = [reportedField, ...users.map((user) => userField(app, user))]
  const without = await Promise.all(
    nodes.map(async (node) => {
      const [hasReported, ...held] = await presence.redis.hmget(onlineKey(node), ...fields)
      return hasReported !== null && held.every((json) => json === null) ? [node] : []
    }),
  )
  return new Set(without.flat())
}

/** A user's connected devices, with the time since when each is away; undefined if it is not. */
export type OnlineDevicesOfUser = ReadonlyMap<string, number | undefined>

/** Redis lacks a node's report: one of them was down, and the node has not reported again yet. */
export class PresenceIncomplete extends Error {
  override name = 'PresenceIncomplete'
}

/**
 * The connected devices of these users; users without devices are omitted. Two round trips.
 * @param alive nodes known to be alive by other means; their reports are required
 * @throws PresenceIncomplete if one of `alive` has not reported; the client's error if Redis is down
 */
export async function findOnlineDevices(
  presence: Presence,
  app: string,
  users: readonly string[],
  alive: readonly string[] = [],
): Promise<Map<string, OnlineDevicesOfUser>> {
  const online = new Map<string, Map<string, number | undefined>>()
  const { reports, silent } = await readReports(presence, app, users, alive)
  if (silent.size > 0) throw new PresenceIncomplete(`nodes ${[...silent].join(', ')} have not reported their devices`)
  for (const { user, held } of reports) {
    const devices = online.get(user) ?? new Map<string, number | undefined>()
    online.set(user, devices)
    for (const one of held) {
      const [device, sinceMS] = typeof one === 'string' ? [one, undefined] : one
      // A device on two nodes is away only if it is away on both.
      const other = devices.has(device) ? devices.get(device) : 0
      devices.set(device, sinceMS === undefined || other === undefined ? undefined : Math.max(sinceMS, other))
    }
  }
  return online
}
