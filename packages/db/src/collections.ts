import {
  type Collection,
  type Document,
  type IndexDescription,
  type MongoClient,
  type Db as MongoDb,
  MongoServerError,
} from 'mongodb'
import { type AppDoc, appIndexes } from './apps/apps.ts'
import { type ConfigDoc, configIndexes } from './apps/config.ts'
import {
  type PendingEventsDoc,
  type PublishedEventsDoc,
  pendingEventIndexes,
  publishedEventIndexes,
} from './events/outbox-store.ts'
import type { StreamStateDoc } from './events/stream-state.ts'
import { attachedIndexes } from './files/attached.ts'
import { type FileDoc, fileIndexes } from './files/files.ts'
import { type FilesToClearDoc, filesToClearIndexes } from './files/files-to-clear.ts'
import { waitingPictureIndexes } from './files/waiting-pictures.ts'
import { type JobDoc, jobIndexes } from './jobs.ts'
import { expiringMessageIndexes } from './messages/expiring-messages.ts'
import { type MessageStreamDoc, messageStreamIndexes } from './messages/message-streams.ts'
import { type MessageDoc, messageIndexes } from './messages/messages.ts'
import { type ScheduledDoc, scheduledIndexes } from './messages/scheduled.ts'
import { type SearchProgressDoc, type SearchTextDoc, searchTextIndexes } from './messages/search-texts.ts'
import { type SendKeyDoc, sendKeyIndexes } from './messages/send-keys.ts'
import { type UserDeletionDoc, userDeletionIndexes } from './messages/user-deletions.ts'
import { type ReportDoc, reportIndexes } from './moderation/reports.ts'
import { type CallLaneDoc, callLaneIndexes, type OutgoingCallDoc, outgoingCallIndexes } from './push/outgoing-calls.ts'
import { type PushDecisionDoc, type PushResultsDoc, pushDecisionIndexes } from './push/push-decisions.ts'
import { type PushContentDoc, type PushDoc, pushContentIndexes, pushIndexes } from './push/pushes.ts'
import { type BanDoc, banIndexes } from './rooms/bans.ts'
import { type InvitationDoc, invitationIndexes } from './rooms/invitations.ts'
import { type MembershipDoc, membershipIndexes } from './rooms/memberships.ts'
import { type RoomDoc, roomIndexes } from './rooms/rooms.ts'
import type { StatsUserDoc } from './statistics/active-users.ts'
import { statsIndexes } from './statistics/buckets.ts'
import type { StatsRoomDoc } from './statistics/counted-messages.ts'
import type { StatsPeakDoc } from './statistics/peaks.ts'
import { threadMemberIndexes } from './threads/thread-members.ts'
import { threadMessageIndexes } from './threads/thread-messages.ts'
import type { Turns } from './transactions/turns.ts'
import { type BlockDoc, blockIndexes } from './users/blocks.ts'
import { type DeviceDoc, deviceIndexes } from './users/devices.ts'
import { type PrefDoc, prefIndexes } from './users/prefs.ts'
import { type TokenDoc, tokenIndexes } from './users/tokens.ts'
import { type UserDoc, userIndexes } from './users/users.ts'

/** A collection's document type, and its indexes beside the one on _id. */
interface CollectionRow<T extends Document> {
  indexes: readonly IndexDescription[]
  /** Never set: it carries the type. */
  document?: T
}

const of = <T extends Document>(indexes: readonly IndexDescription[] = []): CollectionRow<T> => ({ indexes })

/** Every collection, by its name in the database. */
const collections = {
  apps: of<AppDoc>(appIndexes),
  bans: of<BanDoc>(banIndexes),
  blocks: of<BlockDoc>(blockIndexes),
  callLanes: of<CallLaneDoc>(callLaneIndexes),
  config: of<ConfigDoc>(configIndexes),
  devices: of<DeviceDoc>(deviceIndexes),
  files: of<FileDoc>([...fileIndexes, ...waitingPictureIndexes]),
  filesToClear: of<FilesToClearDoc>(filesToClearIndexes),
  invitations: of<InvitationDoc>(invitationIndexes),
  jobs: of<JobDoc>(jobIndexes),
  memberships: of<MembershipDoc>(membershipIndexes),
  messageStreams: of<MessageStreamDoc>(messageStreamIndexes),
  messages: of<MessageDoc>([...messageIndexes, ...threadMessageIndexes, ...expiringMessageIndexes, ...attachedIndexes]),
  outgoingCalls: of<OutgoingCallDoc>(outgoingCallIndexes),
  pendingEvents: of<PendingEventsDoc>(pendingEventIndexes),
  prefs: of<PrefDoc>(prefIndexes),
  publishedEvents: of<PublishedEventsDoc>(publishedEventIndexes),
  pushContents: of<PushContentDoc>(pushContentIndexes),
  pushDecisions: of<PushDecisionDoc>(pushDecisionIndexes),
  pushResults: of<PushResultsDoc>(pushDecisionIndexes),
  pushes: of<PushDoc>(pushIndexes),
  reports: of<ReportDoc>(reportIndexes),
  rooms: of<RoomDoc>(roomIndexes),
  scheduled: of<ScheduledDoc>(scheduledIndexes),
  searchProgress: of<SearchProgressDoc>(),
  searchTexts: of<SearchTextDoc>(searchTextIndexes),
  sendKeys: of<SendKeyDoc>(sendKeyIndexes),
  statsPeaks: of<StatsPeakDoc>(statsIndexes),
  statsRooms: of<StatsRoomDoc>(statsIndexes),
  statsUsers: of<StatsUserDoc>(statsIndexes),
  streamState: of<StreamStateDoc>(),
  threadMembers: of<MembershipDoc>(threadMemberIndexes),
  tokens: of<TokenDoc>(tokenIndexes),
  userDeletions: of<UserDeletionDoc>(userDeletionIndexes),
  users: of<UserDoc>(userIndexes),
}

type Collections = {
  [Name in keyof typeof collections]: (typeof collections)[Name] extends CollectionRow<infer T> ? Collection<T> : never
}

export type CollectionName = keyof Collections

/** The connection to MongoDB, the turns of its transactions, and Parley's collections. */
export type Db = { client: MongoClient; mongo: MongoDb; turns: Turns } & Collections

export function openCollections(mongo: MongoDb): Collections {
  const opened = Object.keys(collections).map((name) => [name, mongo.collection(name)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry per row of the table, by its name
  return Object.fromEntries(opened) as Collections
}

/**
 * Makes every collection and index of the table that is not there yet. Takes as long as the collections are large. A
 * collection that the first transactions made by themselves would fail those that read it at the same time.
 */
export async function makeIndexes(mongo: MongoDb): Promise<void> {
  const existing = new Set((await mongo.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name))
  const rows = Object.entries(collections)
  await Promise.all(
    rows.filter(([name]) => !existing.has(name)).map(([name, { indexes }]) => make(mongo, name, indexes)),
  )
  // One after the other: an index over a large collection is much work for the server.
  for (const [name, { indexes }] of rows) {
    if (existing.has(name) && indexes.length > 0) await make(mongo, name, indexes)
  }
}

/** Somebody else may make it at the same time. */
async function make(mongo: MongoDb, name: string, indexes: readonly IndexDescription[]): Promise<void> {
  try {
    if (indexes.length > 0) await mongo.collection(name).createIndexes([...indexes])
    else await mongo.createCollection(name)
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === namespaceExists)) throw error
  }
}

const namespaceExists = 48

/** The declared indexes as text that is the same for the same indexes. */
export function declaredIndexes(): string {
  return JSON.stringify(Object.entries(collections).map(([name, { indexes }]) => [name, indexes]))
}
