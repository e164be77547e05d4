import type { IndexDescription, Db as MongoDb } from 'mongodb'
import { appIndexes } from './apps/apps.ts'
import { configIndexes } from './apps/config.ts'
import { auditIndexes, auditSealIndexes } from './audit/audit-log.ts'
import type { CollectionName, Collections } from './db.ts'
import { pendingEventIndexes, publishedEventIndexes } from './events/outbox-store.ts'
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

/** The indexes of every collection, except the one on `_id`. */
export const indexesOf: Record<CollectionName, readonly IndexDescription[]> = {
  apps: appIndexes,
  audit: auditIndexes,
  auditSeals: auditSealIndexes,
  auditUnsealed: [],
  bans: banIndexes,
  blocks: blockIndexes,
  bookmarks: bookmarkIndexes,
  callQueues: callQueueIndexes,
  config: configIndexes,
  deviceTokens: [],
  devices: deviceIndexes,
  directRooms: [],
  files: [...fileIndexes, ...waitingPictureIndexes],
  filesToClear: filesToClearIndexes,
  holdMarks: [],
  holds: holdIndexes,
  invitations: invitationIndexes,
  jobs: jobIndexes,
  linkCards: linkCardIndexes,
  memberships: membershipIndexes,
  messageBuckets: messageBucketIndexes,
  messageStreams: messageStreamIndexes,
  messages: [
    ...messageIndexes,
    ...threadMessageIndexes,
    ...expiringMessageIndexes,
    ...attachedIndexes,
    ...heldMessageIndexes,
  ],
  operatorSessions: operatorSessionIndexes,
  operators: operatorIndexes,
  outgoingCalls: outgoingCallIndexes,
  pageFiles: pageFileIndexes,
  passkeyChallenges: passkeyChallengeIndexes,
  pendingEvents: pendingEventIndexes,
  prefs: prefIndexes,
  publishedEvents: publishedEventIndexes,
  pushContents: pushContentIndexes,
  pushDecisions: pushDecisionIndexes,
  pushResults: pushDecisionIndexes,
  pushes: pushIndexes,
  reminders: reminderIndexes,
  reports: reportIndexes,
  rooms: roomIndexes,
  scheduled: scheduledIndexes,
  searchProgress: [],
  searchTexts: searchTextIndexes,
  sendKeys: sendKeyIndexes,
  signInFailures: signInFailureIndexes,
  statsPeaks: statsIndexes,
  statsRooms: statsIndexes,
  statsUsers: statsIndexes,
  streamState: [],
  threadMembers: threadMemberIndexes,
  tokens: tokenIndexes,
  userDeletions: userDeletionIndexes,
  users: userIndexes,
}

export function openCollections(mongo: MongoDb): Collections {
  const opened = Object.keys(indexesOf).map((name) => [name, mongo.collection(name)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry per row of the table, by its name
  return Object.fromEntries(opened) as Collections
}

/**
 * Creates missing collections and indexes. Indexing a large collection takes long. Collections are created up front:
 * creating one inside a transaction would fail concurrent transactions that read it.
 */
export async function makeIndexes(mongo: MongoDb): Promise<void> {
  const existing = new Set((await mongo.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name))
  const rows = Object.entries(indexesOf)
  await Promise.all(rows.filter(([name]) => !existing.has(name)).map(([name, indexes]) => make(mongo, name, indexes)))
  // Sequentially: building an index on a large collection loads the server.
  for (const [name, indexes] of rows) {
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
  return JSON.stringify(Object.entries(indexesOf).map(([name, indexes]) => [name, indexes]))
}
