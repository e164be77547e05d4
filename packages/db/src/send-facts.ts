import type { ConfigDoc } from './config.ts'
import type { Db } from './connect.ts'
import { key } from './keys.ts'
import type { MembershipDoc } from './memberships.ts'
import type { RoomDoc } from './rooms.ts'

/** What decides over a batch of messages. */
export interface SendFacts {
  rooms: RoomDoc[]
  memberships: MembershipDoc[]
  /** What the apps have under `configName`. */
  config: ConfigDoc[]
}

type Found = { rooms: RoomDoc } | { memberships: MembershipDoc } | { config: ConfigDoc }

/**
 * Reads the rooms, the senders' memberships and a config key of the apps in one round trip: a round trip costs both
 * sides more than what is read by it.
 */
export async function findSendFacts(
  db: Db,
  wanted: { rooms: readonly string[]; memberships: readonly string[]; apps: readonly string[]; configName: string },
): Promise<SendFacts> {
  const config = wanted.apps.map((app) => key(app, wanted.configName))
  const found = await db.rooms
    .aggregate<Found>([
      ...oneOf('rooms', wanted.rooms),
      { $unionWith: { coll: db.memberships.collectionName, pipeline: oneOf('memberships', wanted.memberships) } },
      { $unionWith: { coll: db.config.collectionName, pipeline: oneOf('config', config) } },
    ])
    .toArray()
  return {
    rooms: found.flatMap((one) => ('rooms' in one ? [one.rooms] : [])),
    memberships: found.flatMap((one) => ('memberships' in one ? [one.memberships] : [])),
    config: found.flatMap((one) => ('config' in one ? [one.config] : [])),
  }
}

/** Documents by ID, each under the name of its collection. */
function oneOf(name: string, ids: readonly string[]): object[] {
  return [{ $match: { _id: { $in: [...ids] } } }, { $project: { _id: 0, [name]: '$$ROOT' } }]
}
