import {
  type Collection,
  MongoClient,
  type Db as MongoDb,
  MongoError,
  MongoNetworkError,
  MongoServerSelectionError,
} from 'mongodb'
import { type AppDoc, appIndexes } from './apps.ts'
import { type BanDoc, banIndexes } from './bans.ts'
import { type BlockDoc, blockIndexes } from './blocks.ts'
import { type ConfigDoc, configIndexes } from './config.ts'
import { type DeviceDoc, deviceIndexes } from './devices.ts'
import type { InvitationDoc } from './invitations.ts'
import { type MembershipDoc, membershipIndexes } from './memberships.ts'
import { type MessageDoc, messageIndexes } from './messages.ts'
import { type OutboxDoc, outboxIndexes } from './outbox.ts'
import { type CallLaneDoc, callLaneIndexes, type OutgoingCallDoc, outgoingCallIndexes } from './outgoing-calls.ts'
import { type PrefDoc, prefIndexes } from './prefs.ts'
import { type PushContentDoc, type PushDoc, pushContentIndexes, pushIndexes } from './pushes.ts'
import { type RoomDoc, roomIndexes } from './rooms.ts'
import { type SearchProgressDoc, type SearchTextDoc, searchTextIndexes } from './search-texts.ts'
import { type SendKeyDoc, sendKeyIndexes } from './send-keys.ts'
import { type StatsPeakDoc, type StatsRoomDoc, type StatsUserDoc, statsIndexes } from './stats-buckets.ts'
import { type TokenDoc, tokenIndexes } from './tokens.ts'
import { type UserDeletionDoc, userDeletionIndexes } from './user-deletions.ts'
import { type UserDoc, userIndexes } from './users.ts'

/** The connection to MongoDB and Parley's collections. */
export interface Db {
  client: MongoClient
  mongo: MongoDb
  apps: Collection<AppDoc>
  bans: Collection<BanDoc>
  blocks: Collection<BlockDoc>
  config: Collection<ConfigDoc>
  prefs: Collection<PrefDoc>
  users: Collection<UserDoc>
  tokens: Collection<TokenDoc>
  statsRooms: Collection<StatsRoomDoc>
  statsUsers: Collection<StatsUserDoc>
  statsPeaks: Collection<StatsPeakDoc>
  rooms: Collection<RoomDoc>
  memberships: Collection<MembershipDoc>
  messages: Collection<MessageDoc>
  invitations: Collection<InvitationDoc>
  outbox: Collection<OutboxDoc>
  sendKeys: Collection<SendKeyDoc>
  userDeletions: Collection<UserDeletionDoc>
  devices: Collection<DeviceDoc>
  pushes: Collection<PushDoc>
  pushContents: Collection<PushContentDoc>
  outgoingCalls: Collection<OutgoingCallDoc>
  callLanes: Collection<CallLaneDoc>
  searchTexts: Collection<SearchTextDoc>
  searchProgress: Collection<SearchProgressDoc>
}

export interface ConnectOptions {
  /** Shown in the server's log and in currentOp. */
  appName?: string
  /** Database name; by default the one in the URL, else `parley`. */
  database?: string
  /** After this long any one operation fails instead of waiting for a server that hangs. */
  timeoutMS?: number
}

/**
 * Connects and makes sure that all indexes are there. Every write is acknowledged by a majority and
 * journaled, reads come from the primary.
 * @throws MongoServerSelectionError when no server answers within `timeoutMS`.
 */
export async function connectDb(url: string, options: ConnectOptions = {}): Promise<Db> {
  const timeoutMS = options.timeoutMS ?? 10_000
  const client = new MongoClient(url, {
    appName: options.appName ?? 'parley',
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    ignoreUndefined: true,
    serverSelectionTimeoutMS: Math.min(timeoutMS, 5_000),
    connectTimeoutMS: timeoutMS,
    socketTimeoutMS: timeoutMS,
    waitQueueTimeoutMS: timeoutMS,
    // How soon a new primary is found.
    heartbeatFrequencyMS: 2_000,
  })
  await client.connect()
  const path = new URL(url.replace(/^mongodb(\+srv)?:/, 'http:')).pathname.slice(1)
  const db = collections(client, client.db(options.database ?? (path === '' ? 'parley' : path)))
  await ensureIndexes(db)
  return db
}

function collections(client: MongoClient, mongo: MongoDb): Db {
  return {
    client,
    mongo,
    apps: mongo.collection('apps'),
    bans: mongo.collection('bans'),
    blocks: mongo.collection('blocks'),
    config: mongo.collection('config'),
    prefs: mongo.collection('prefs'),
    users: mongo.collection('users'),
    tokens: mongo.collection('tokens'),
    statsRooms: mongo.collection('statsRooms'),
    statsUsers: mongo.collection('statsUsers'),
    statsPeaks: mongo.collection('statsPeaks'),
    rooms: mongo.collection('rooms'),
    memberships: mongo.collection('memberships'),
    messages: mongo.collection('messages'),
    invitations: mongo.collection('invitations'),
    outbox: mongo.collection('outbox'),
    sendKeys: mongo.collection('sendKeys'),
    userDeletions: mongo.collection('userDeletions'),
    devices: mongo.collection('devices'),
    pushes: mongo.collection('pushes'),
    pushContents: mongo.collection('pushContents'),
    outgoingCalls: mongo.collection('outgoingCalls'),
    callLanes: mongo.collection('callLanes'),
    searchTexts: mongo.collection('searchTexts'),
    searchProgress: mongo.collection('searchProgress'),
  }
}

async function ensureIndexes(db: Db): Promise<void> {
  await Promise.all([
    db.apps.createIndexes(appIndexes),
    db.bans.createIndexes(banIndexes),
    db.blocks.createIndexes(blockIndexes),
    db.config.createIndexes(configIndexes),
    db.prefs.createIndexes(prefIndexes),
    db.users.createIndexes(userIndexes),
    db.tokens.createIndexes(tokenIndexes),
    db.statsRooms.createIndexes(statsIndexes),
    db.statsUsers.createIndexes(statsIndexes),
    db.statsPeaks.createIndexes(statsIndexes),
    db.rooms.createIndexes(roomIndexes),
    db.memberships.createIndexes(membershipIndexes),
    db.messages.createIndexes(messageIndexes),
    db.outbox.createIndexes(outboxIndexes),
    db.sendKeys.createIndexes(sendKeyIndexes),
    db.userDeletions.createIndexes(userDeletionIndexes),
    db.devices.createIndexes(deviceIndexes),
    db.pushes.createIndexes(pushIndexes),
    db.pushContents.createIndexes(pushContentIndexes),
    db.outgoingCalls.createIndexes(outgoingCallIndexes),
    db.callLanes.createIndexes(callLaneIndexes),
    db.searchTexts.createIndexes(searchTextIndexes),
  ])
}

/** Whether the database answers now. @throws what the driver says when it does not. */
export async function pingDb(db: Db): Promise<void> {
  await db.mongo.command({ ping: 1 })
}

/** Whether an operation failed because the database is away, hangs, or is changing its primary. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error.name === waitQueueTimeout ||
    awayLabels.some((label) => error.hasErrorLabel(label)) ||
    error.code === maxTimeExpired
  )
}

const awayLabels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult']
const maxTimeExpired = 50
/** The driver does not export this class. */
const waitQueueTimeout = 'MongoWaitQueueTimeoutError'
