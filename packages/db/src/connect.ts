import { setTimeout as pause } from 'node:timers/promises'
import type { SecureContextOptions } from 'node:tls'
import {
  type CommandStartedEvent,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoNetworkError,
  type MongoOptions,
  MongoServerSelectionError,
  MongoWriteConcernError,
  type TopologyDescriptionChangedEvent,
} from 'mongodb'
import { ConnectionString } from 'mongodb-connection-string-url'
import { openCollections } from './collections.ts'
import type { Db } from './db.ts'
import { checkMongo, explainUnselected, isDatabaseName, UnfitMongo } from './server/check-server.ts'
import { errorCodes } from './server-errors.ts'
import { ContentionTimeout, createLocks } from './transactions/locks.ts'
import { StaleReadError } from './transactions/transaction.ts'

export type { Db, Session } from './db.ts'

export interface ConnectOptions {
  /** Shown in the server's log and in currentOp. */
  appName?: string
  /** Database name; by default the one in the URL, else `parley`. */
  database?: string
  /** An operation on a hanging server fails after this long. */
  timeoutMS?: number
  /** Enables TLS, with certificates and key in PEM. Without it, the URL decides. */
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> | undefined
  /** Called with each command before it is sent. Throwing fails the command. */
  onCommand?: (command: CommandStartedEvent) => void
}

/**
 * Connects to MongoDB. Writes are acknowledged by a majority and journaled; reads come from the primary. `migrate`
 * creates the schema.
 * @throws UnfitMongo if the server is not a replica set, too old, or in a set of another name than in the URL;
 * MongoServerSelectionError if no server responds in time
 */
export async function connectDb(url: string, options: ConnectOptions = {}): Promise<Db> {
  const timeoutMS = options.timeoutMS ?? 10_000
  const settings: MongoClientOptions = {
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
    // A new primary is reported at once; a hanging server is detected after this plus connectTimeoutMS.
    heartbeatFrequencyMS: 4_000,
    ...(options.tls && { tls: true, ...options.tls }),
    ...(options.onCommand && { monitorCommands: true }),
  }
  const database = options.database ?? (databaseOf(url) || 'parley')
  checkDatabase(database)
  const client = new MongoClient(url, settings)
  checkWrites(client.options)
  if (options.onCommand) client.on('commandStarted', options.onCommand)
  const faults = watchFaults(client)
  try {
    await client.connect()
    await checkMongo(client)
  } catch (error) {
    await client.close()
    if (error instanceof MongoServerSelectionError) await explainUnselected(error, url, settings)
    throw error
  }
  const mongo = client.db(database)
  return { client, mongo, faults, locks: createLocks(), beforeNextRun: new WeakMap(), ...openCollections(mongo) }
}

/** The database in the path of a MongoDB URL, or an empty string. The WHATWG parser rejects URLs with several hosts. */
function databaseOf(url: string): string {
  return decodeURIComponent(new ConnectionString(url).pathname.slice(1))
}

/** @throws UnfitMongo if MongoDB allows no database of this name */
function checkDatabase(name: string): void {
  if (!isDatabaseName(name)) throw new UnfitMongo(`the URL's path names no database: ${JSON.stringify(name)}`)
}

/** The URL's options override ours. @throws UnfitMongo if acknowledged writes could be lost */
function checkWrites({ writeConcern, readConcern }: MongoOptions): void {
  const { w, journal, wtimeoutMS } = writeConcern
  if (w !== 'majority' || journal !== true || wtimeoutMS !== undefined || readConcern !== undefined) {
    throw new UnfitMongo('remove journal, wtimeoutMS and readConcernLevel from the URL: Parley sets them')
  }
}

function watchFaults(client: MongoClient): Db['faults'] {
  const faults = new Map<string, Error>()
  client.on('serverDescriptionChanged', ({ address, newDescription: { error } }) => {
    if (error) faults.set(address, error)
    else faults.delete(address)
  })
  client.on('serverClosed', ({ address }) => void faults.delete(address))
  return faults
}

/** Calls back when no server takes writes, with the cause, and when one does again. Returns a function to stop. */
export function watchPrimary(
  { client, faults }: Pick<Db, 'client' | 'faults'>,
  onAway: (error: Error) => void,
  onBack: () => void,
): () => void {
  const onChange = ({ newDescription: { servers } }: TopologyDescriptionChangedEvent) => {
    if ([...servers.values()].some(({ isWritable }) => isWritable)) return onBack()
    const [fault] = faults
    onAway(new Error(fault ? `${fault[0]}: ${fault[1].message}` : 'the replica set has no primary'))
  }
  client.on('topologyDescriptionChanged', onChange)
  return () => client.off('topologyDescriptionChanged', onChange)
}

/** Less than the driver waits for a server, and than a health check may take. */
const explainAfterMS = 1_500

/** @throws the driver's error if the database does not respond, or why its servers are not reached */
export async function pingDb({ mongo, faults }: Db): Promise<void> {
  const late = new AbortController()
  const explained = pause(explainAfterMS, undefined, { signal: late.signal }).then(
    () => {
      for (const [address, { message }] of faults) throw new Error(`${address}: ${message}`)
      return undefined
    },
    () => undefined,
  )
  try {
    const ping = mongo.command({ ping: 1 })
    await Promise.race([ping, explained])
    await ping
  } finally {
    late.abort()
  }
}

/** Whether the database was down, hanging, overloaded or electing, or our client closed. A write may have been applied. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ContentionTimeout || error instanceof StaleReadError) return true
  if (!(error instanceof MongoError)) return false
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoWriteConcernError ||
    awayNames.has(error.name) ||
    awayLabels.some((label) => error.hasErrorLabel(label)) ||
    transientCodes.has(Number(error.code))
  )
}

const awayLabels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult']
/**
 * Transient errors (MongoDB's driver specifications, "Retryable Reads", "Retryable Error"). The server labels them only
 * on retryable writes and transactions, not on raw commands, multi-document updates or reads.
 */
const primaryChanges = [91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]
const unreachable = [6, 7, 89, 134, 262, 9_001]
const transientCodes = new Set([errorCodes.MaxTimeMSExpired, ...primaryChanges, ...unreachable])
/** All but the first mean a closed client: a stop cuts off work. The driver does not export each of these classes. */
const awayNames = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'MongoNotConnectedError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
])

/** Runs work on a database once it is connected, and then closes the connection. */
export async function usingDb<T>(connecting: Promise<Db>, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await connecting
  try {
    return await work(db)
  } finally {
    await db.client.close()
  }
}
