import type { ClientSession, Collection, MongoClient, Db as MongoDb } from 'mongodb'
import type { AppDoc, ConfigDoc } from './apps/documents.ts'
import type { AuditDoc, AuditSealDoc, UnsealedDoc } from './audit/documents.ts'
import type { ImportedLinesDoc, JobDoc, LinkCardDoc, PageFileDoc } from './documents.ts'
import type { OutboxEntry, PublishedEntry, StreamStateDoc } from './events/documents.ts'
import type { FileDoc, FilesToClearDoc } from './files/documents.ts'
import type { HoldDoc, HoldMarkDoc } from './holds/documents.ts'
import type { MessageBucketDoc } from './message-buckets/documents.ts'
import type {
  MessageDoc,
  MessageStreamDoc,
  SavedMessageDoc,
  ScheduledDoc,
  SearchProgressDoc,
  SearchTextDoc,
  SendKeyDoc,
  UserDeletionDoc,
} from './messages/documents.ts'
import type { ReportDoc } from './moderation/documents.ts'
import type { OperatorDoc, OperatorSessionDoc, PasskeyChallengeDoc, SignInFailuresDoc } from './operators/documents.ts'
import type {
  CallQueueDoc,
  OutgoingCallDoc,
  PushContentDoc,
  PushDecisionDoc,
  PushDoc,
  PushResultsDoc,
} from './push/documents.ts'
import type { BanDoc, DirectRoomDoc, InvitationDoc, MembershipDoc, RoomDoc } from './rooms/documents.ts'
import type { StatsPeakDoc, StatsRoomDoc, StatsUserDoc } from './statistics/documents.ts'
import type { Locks } from './transactions/locks.ts'
import type { BlockDoc, DeviceDoc, DeviceTokenDoc, PrefDoc, TokenDoc, UserDoc } from './users/documents.ts'

/** Parley's collections, by their names in the database. */
export interface Collections {
  apps: Collection<AppDoc>
  audit: Collection<AuditDoc>
  auditSeals: Collection<AuditSealDoc>
  auditUnsealed: Collection<UnsealedDoc>
  bans: Collection<BanDoc>
  blocks: Collection<BlockDoc>
  bookmarks: Collection<SavedMessageDoc>
  callQueues: Collection<CallQueueDoc>
  config: Collection<ConfigDoc>
  deviceTokens: Collection<DeviceTokenDoc>
  devices: Collection<DeviceDoc>
  directRooms: Collection<DirectRoomDoc>
  files: Collection<FileDoc>
  filesToClear: Collection<FilesToClearDoc>
  holdMarks: Collection<HoldMarkDoc>
  holds: Collection<HoldDoc>
  importedLines: Collection<ImportedLinesDoc>
  invitations: Collection<InvitationDoc>
  jobs: Collection<JobDoc>
  linkCards: Collection<LinkCardDoc>
  memberships: Collection<MembershipDoc>
  messageBuckets: Collection<MessageBucketDoc>
  messageStreams: Collection<MessageStreamDoc>
  messages: Collection<MessageDoc>
  operatorSessions: Collection<OperatorSessionDoc>
  operators: Collection<OperatorDoc>
  outgoingCalls: Collection<OutgoingCallDoc>
  pageFiles: Collection<PageFileDoc>
  outbox: Collection<OutboxEntry>
  prefs: Collection<PrefDoc>
  publishedEvents: Collection<PublishedEntry>
  pushContents: Collection<PushContentDoc>
  pushDecisions: Collection<PushDecisionDoc>
  pushResults: Collection<PushResultsDoc>
  pushes: Collection<PushDoc>
  reminders: Collection<SavedMessageDoc>
  reports: Collection<ReportDoc>
  rooms: Collection<RoomDoc>
  scheduled: Collection<ScheduledDoc>
  searchProgress: Collection<SearchProgressDoc>
  searchTexts: Collection<SearchTextDoc>
  sendKeys: Collection<SendKeyDoc>
  signInFailures: Collection<SignInFailuresDoc>
  passkeyChallenges: Collection<PasskeyChallengeDoc>
  statsPeaks: Collection<StatsPeakDoc>
  statsRooms: Collection<StatsRoomDoc>
  statsUsers: Collection<StatsUserDoc>
  streamState: Collection<StreamStateDoc>
  threadMembers: Collection<MembershipDoc>
  tokens: Collection<TokenDoc>
  userDeletions: Collection<UserDeletionDoc>
  users: Collection<UserDoc>
}

export type CollectionName = keyof Collections

/** A session of the MongoDB driver, usually in a transaction. */
export type Session = ClientSession

/** The connection to MongoDB with Parley's collections. */
export type Db = {
  client: MongoClient
  mongo: MongoDb
  /** By address: why the driver could not connect to a server, such as an expired certificate. */
  faults: ReadonlyMap<string, Error>
  locks: Locks
  /** Runs after a transaction's conflict, outside the transaction, before its next attempt. */
  beforeNextRun: WeakMap<Session, () => Promise<void>>
} & Collections
