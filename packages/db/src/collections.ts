import type { IndexDescription, Db as MongoDb } from 'mongodb'
import { appIndexes } from './apps/apps.ts'
import { configIndexes } from './apps/config.ts'
import { auditIndexes, auditSealIndexes } from './audit/audit-log.ts'
import type { CollectionName, Collections } from './db.ts'
import { outboxIndexes, publishedEventIndexes } from './events/outbox-store.ts'
import { attachedIndexes } from './files/attached.ts'
import { fileIndexes } from './files/files.ts'
import { filesToClearIndexes } from './files/files-to-clear.ts'
import { waitingPictureIndexes } from './files/waiting-pictures.ts'
import { heldMessageIndexes, holdIndexes } from './holds/holds.ts'
import { jobIndexes } from './jobs.ts'
import { linkCardIndexes } from './link-cards.ts'
import { messageBucketIndexes } from './message-buckets/buckets.ts'
import { expiringMessageIndexes } from './messages/expiring-messages.ts'
import { messageStreamIndexes } from './messages/message-streams.ts'
import { messageIndexes } from './messages/messages.ts'
import { reactionIndexes } from './messages/reactions-of-user.ts'
import { bookmarkIndexes, reminderIndexes } from './messages/saved-messages.ts'
import { scheduledIndexes } from './messages/scheduled.ts'
import { searchTextIndexes } from './messages/search-texts.ts'
import { sendKeyIndexes } from './messages/send-keys.ts'
import { userDeletionIndexes } from './messages/user-deletions.ts'
import { reportIndexes } from './moderation/reports.ts'
import { operatorIndexes } from './operators/operators.ts'
import { passkeyChallengeIndexes } from './operators/passkeys.ts'
import { operatorSessionIndexes } from './operators/sessions.ts'
import { signInFailureIndexes } from './operators/sign-in-failures.ts'
import { pageFileIndexes } from './page-files.ts'
import { callQueueIndexes, outgoingCallIndexes } from './push/outgoing-calls.ts'
import { pushDecisionIndexes } from './push/push-decisions.ts'
import { pushContentIndexes, pushIndexes } from './push/pushes.ts'
import { banIndexes } from './rooms/bans.ts'
import { invitationIndexes } from './rooms/invitations.ts'
import { membershipIndexes } from './rooms/memberships.ts'
import { roomIndexes } from './rooms/rooms.ts'
import { isServerError } from './server-errors.ts'
import { statsIndexes } from './statistics/buckets.ts'
import { threadMemberIndexes } from './threads/thread-members.ts'
import { threadMessageIndexes } from './threads/thread-messages.ts'
import { blockIndexes } from './users/blocks.ts'
import { deviceIndexes } from './users/devices.ts'
import { prefIndexes } from './users/prefs.ts'
import { tokenIndexes } from './users/tokens.ts'
import { userIndexes } from './users/users.ts'

/** How to find an app's documents: by key range, or with a full scan of a small collection. */
type Deletion = 'idRange' | 'roomKeyRange' | 'outbox' | 'calls' | 'files' | 'roles' | 'last' | 'none'

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

interface CollectionPlan {
  /** All except the one on `_id`. */
  indexes: readonly IndexDescription[]
  /** The shard key, or why the collection is not sharded. */
  shard: ShardKey | string
  deletion: Deletion
}

/** Every collection, in the order of an app's deletion: the outbox and rooms refer to messages, so they go first. */
export const collections: Record<CollectionName, CollectionPlan> = {
  tokens: { indexes: tokenIndexes, shard: id, deletion: 'idRange' },
  auditUnsealed: { indexes: [], shard: queue, deletion: 'idRange' },
  devices: { indexes: deviceIndexes, shard: id, deletion: 'idRange' },
  deviceTokens: { indexes: [], shard: id, deletion: 'idRange' },
  jobs: { indexes: jobIndexes, shard: queue, deletion: 'idRange' },
  importedLines: { indexes: [], shard: id, deletion: 'idRange' },
  linkCards: { indexes: linkCardIndexes, shard: id, deletion: 'idRange' },
  scheduled: { indexes: scheduledIndexes, shard: id, deletion: 'idRange' },
  reminders: { indexes: reminderIndexes, shard: id, deletion: 'idRange' },
  bookmarks: { indexes: bookmarkIndexes, shard: id, deletion: 'idRange' },
  outbox: { indexes: outboxIndexes, shard: queue, deletion: 'outbox' },
  publishedEvents: { indexes: publishedEventIndexes, shard: id, deletion: 'outbox' },
  outgoingCalls: { indexes: outgoingCallIndexes, shard: id, deletion: 'calls' },
  callQueues: { indexes: callQueueIndexes, shard: queue, deletion: 'idRange' },
  pushes: { indexes: pushIndexes, shard: id, deletion: 'idRange' },
  pushContents: { indexes: pushContentIndexes, shard: id, deletion: 'idRange' },
  pushDecisions: { indexes: pushDecisionIndexes, shard: id, deletion: 'idRange' },
  pushResults: { indexes: pushDecisionIndexes, shard: id, deletion: 'idRange' },
  directRooms: { indexes: [], shard: id, deletion: 'idRange' },
  rooms: { indexes: roomIndexes, shard: id, deletion: 'idRange' },
  searchTexts: { indexes: searchTextIndexes, shard: id, deletion: 'roomKeyRange' },
  searchProgress: { indexes: [], shard: id, deletion: 'idRange' },
  userDeletions: { indexes: userDeletionIndexes, shard: idOfRoom, deletion: 'idRange' },
  messageStreams: { indexes: messageStreamIndexes, shard: queue, deletion: 'idRange' },
  messageBuckets: { indexes: messageBucketIndexes, shard: idOfRoom, deletion: 'idRange' },
  messages: {
    indexes: [
      ...messageIndexes,
      ...threadMessageIndexes,
      ...expiringMessageIndexes,
      ...attachedIndexes,
      ...heldMessageIndexes,
      ...reactionIndexes,
    ],
    shard: ofRoom,
    deletion: 'roomKeyRange',
  },
  files: { indexes: [...fileIndexes, ...waitingPictureIndexes], shard: id, deletion: 'files' },
  memberships: { indexes: membershipIndexes, shard: idOfRoom, deletion: 'idRange' },
  threadMembers: { indexes: threadMemberIndexes, shard: idOfRoom, deletion: 'idRange' },
  invitations: { indexes: invitationIndexes, shard: id, deletion: 'idRange' },
  bans: { indexes: banIndexes, shard: idOfRoom, deletion: 'idRange' },
  blocks: { indexes: blockIndexes, shard: id, deletion: 'idRange' },
  reports: { indexes: reportIndexes, shard: id, deletion: 'idRange' },
  prefs: { indexes: prefIndexes, shard: id, deletion: 'idRange' },
  sendKeys: { indexes: sendKeyIndexes, shard: id, deletion: 'idRange' },
  statsPeaks: { indexes: statsIndexes, shard: id, deletion: 'idRange' },
  statsRooms: { indexes: statsIndexes, shard: id, deletion: 'idRange' },
  statsUsers: { indexes: statsIndexes, shard: id, deletion: 'idRange' },
  users: { indexes: userIndexes, shard: id, deletion: 'idRange' },
  config: { indexes: configIndexes, shard: few, deletion: 'idRange' },
  holds: { indexes: holdIndexes, shard: id, deletion: 'idRange' },
  holdMarks: { indexes: [], shard: id, deletion: 'idRange' },
  audit: { indexes: auditIndexes, shard: id, deletion: 'idRange' },
  auditSeals: { indexes: auditSealIndexes, shard: id, deletion: 'idRange' },
  operators: { indexes: operatorIndexes, shard: few, deletion: 'roles' },
  // Shared by all apps; `filesToClear` holds file IDs only.
  operatorSessions: { indexes: operatorSessionIndexes, shard: few, deletion: 'none' },
  pageFiles: { indexes: pageFileIndexes, shard: few, deletion: 'none' },
  passkeyChallenges: { indexes: passkeyChallengeIndexes, shard: few, deletion: 'none' },
  signInFailures: { indexes: signInFailureIndexes, shard: few, deletion: 'none' },
  streamState: { indexes: [], shard: few, deletion: 'none' },
  filesToClear: { indexes: filesToClearIndexes, shard: queue, deletion: 'none' },
  apps: { indexes: appIndexes, shard: few, deletion: 'last' },
}

export const collectionsByName = Object.entries(collections).toSorted(([a], [b]) => (a < b ? -1 : 1))

export function openCollections(mongo: MongoDb): Collections {
  const opened = Object.keys(collections).map((name) => [name, mongo.collection(name)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry per row of the table, by its name
  return Object.fromEntries(opened) as Collections
}

/**
 * Creates missing collections and indexes. Indexing a large collection takes long. Collections are created up front:
 * creating one inside a transaction would fail concurrent transactions that read it.
 */
export async function makeIndexes(mongo: MongoDb): Promise<void> {
  const existing = new Set((await mongo.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name))
  const missing = collectionsByName.filter(([name]) => !existing.has(name))
  await Promise.all(missing.map(([name, { indexes }]) => make(mongo, name, indexes)))
  // Sequentially: building an index on a large collection loads the server.
  for (const [name, { indexes }] of collectionsByName) {
    if (existing.has(name) && indexes.length > 0) await make(mongo, name, indexes)
  }
}

/** Tolerates that another process creates the collection at the same time. */
async function make(mongo: MongoDb, name: string, indexes: readonly IndexDescription[]): Promise<void> {
  try {
    if (indexes.length > 0) await mongo.collection(name).createIndexes([...indexes])
    else await mongo.createCollection(name)
  } catch (error) {
    if (!isServerError(error, 'NamespaceExists')) throw error
  }
}

/** The declared indexes as text, for comparison. */
export function declaredIndexes(): string {
  return JSON.stringify(collectionsByName.map(([name, { indexes }]) => [name, indexes]))
}

/** The key pattern for `sh.shardCollection`. */
export function keyPattern({ field, by }: ShardKey): Record<string, 1 | 'hashed'> {
  return { [field]: by === 'hash' ? 'hashed' : 1 }
}

/** The mongosh commands that shard the collections, for mongos. Idempotent. Run `parley migrate` first. */
export function shardCommands(database: string): string[] {
  const spread = collectionsByName.flatMap(([name, { shard }]) => {
    if (typeof shard === 'string') return []
    const pattern = JSON.stringify(keyPattern(shard))
    return [
      `db.getSiblingDB(${JSON.stringify(database)}).getCollection("${name}").createIndex(${pattern})`,
      `sh.shardCollection(${JSON.stringify(`${database}.${name}`)}, ${pattern})`,
    ]
  })
  const whole = collectionsByName.flatMap(([name, { shard }]) =>
    typeof shard === 'string' ? [`// ${name} stays whole on the primary shard: ${shard}`] : [],
  )
  return [`sh.enableSharding(${JSON.stringify(database)})`, ...spread, ...whole]
}
