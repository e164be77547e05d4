import type { CollectionName } from './db.ts'

/** A shard key of one field, ranged or hashed. */
export interface ShardKey {
  field: '_id' | 'roomKey'
  by: 'hash' | 'range'
}

/** Lookups by `_id` or a list of `_id`s are targeted. */
const id: ShardKey = { field: '_id', by: 'hash' }
/**
 * The `_id` begins with the room's key, so a room's documents stay together, and lookups by `_id` or room are targeted.
 */
const idOfRoom: ShardKey = { field: '_id', by: 'range' }
const ofRoom: ShardKey = { field: 'roomKey', by: 'hash' }
const few = 'few documents'
const queue = 'a queue of work, mostly empty'

/** Each collection's shard key, or why it is not sharded. */
export const places: Record<CollectionName, ShardKey | string> = {
  apps: few,
  audit: id,
  auditSeals: id,
  auditUnsealed: queue,
  bans: idOfRoom,
  blocks: id,
  bookmarks: id,
  callQueues: queue,
  config: few,
  deviceTokens: id,
  devices: id,
  directRooms: id,
  files: id,
  filesToClear: queue,
  holdMarks: id,
  holds: id,
  invitations: id,
  jobs: queue,
  linkCards: id,
  memberships: idOfRoom,
  messageBuckets: idOfRoom,
  messageStreams: queue,
  messages: ofRoom,
  operatorSessions: few,
  operators: few,
  outgoingCalls: id,
  pageFiles: few,
  passkeyChallenges: few,
  pendingEvents: queue,
  prefs: id,
  publishedEvents: id,
  pushContents: id,
  pushDecisions: id,
  pushResults: id,
  pushes: id,
  reminders: id,
  reports: id,
  rooms: id,
  scheduled: id,
  searchProgress: id,
  searchTexts: id,
  sendKeys: id,
  signInFailures: few,
  statsPeaks: id,
  statsRooms: id,
  statsUsers: id,
  streamState: few,
  threadMembers: idOfRoom,
  tokens: id,
  userDeletions: idOfRoom,
  users: id,
}

/** The key pattern for `sh.shardCollection`. */
export function keyPattern({ field, by }: ShardKey): Record<string, 1 | 'hashed'> {
  return { [field]: by === 'hash' ? 'hashed' : 1 }
}

/**
 * The mongosh commands that shard Parley's collections, for a session on mongos. Idempotent. Run `parley migrate`
 * first.
 */
export function shardCommands(database: string): string[] {
  const rows = Object.entries(places)
  const spread = rows.flatMap(([name, place]) => {
    if (typeof place === 'string') return []
    const pattern = JSON.stringify(keyPattern(place))
    return [
      `db.getSiblingDB(${JSON.stringify(database)}).getCollection("${name}").createIndex(${pattern})`,
      `sh.shardCollection(${JSON.stringify(`${database}.${name}`)}, ${pattern})`,
    ]
  })
  const whole = rows.flatMap(([name, place]) =>
    typeof place === 'string' ? [`// ${name} stays whole on the primary shard: ${place}`] : [],
  )
  return [`sh.enableSharding(${JSON.stringify(database)})`, ...spread, ...whole]
}
