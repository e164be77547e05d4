import type { SecureContextOptions } from 'node:tls'
import {
  type CommandStartedEvent,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoNetworkError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'
import { ConnectionString } from 'mongodb-connection-string-url'
import { checkMongo, explainUnselected } from './check-server.ts'
import { openCollections } from './collections.ts'
import type { Db } from './db.ts'
import { createTurns, NoTurn } from './transactions/turns.ts'

export type { Db } from './db.ts'

export interface ConnectOptions {
  /** Shown in the server's log and in currentOp. */
  appName?: string
  /** Database name; by default the one in the URL, else `parley`. */
  database?: string
  /** After this long any one operation fails instead of waiting for a server that hangs. */
  timeoutMS?: number
  /** Turns TLS on: certificates and key in PEM. Without it the URL decides. */
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> | undefined
  /** Sees each command before it is sent; its error fails the command. */
  onCommand?: (command: CommandStartedEvent) => void
}

/**
 * Connects. Every write is acknowledged by a majority and journaled, reads come from the primary. The schema is made by
 * `migrate` (migrate.ts).
 * @throws UnfitMongo when the server is no replica set, or too old; MongoServerSelectionError when none responds within `timeoutMS`.
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
    // Changes of the primary arrive at once; a server that hangs is noticed after this and connectTimeoutMS.
    heartbeatFrequencyMS: 4_000,
    ...(options.tls && { tls: true, ...options.tls }),
    ...(options.onCommand && { monitorCommands: true }),
  }
  const client = new MongoClient(url, settings)
  if (options.onCommand) client.on('commandStarted', options.onCommand)
  try {
    await client.connect()
    await checkMongo(client)
  } catch (error) {
    await client.close()
    if (error instanceof MongoServerSelectionError) await explainUnselected(url, settings)
    throw error
  }
  const mongo = client.db(options.database ?? (databaseOf(url) || 'parley'))
  return { client, mongo, turns: createTurns(), beforeNextRun: new WeakMap(), ...openCollections(mongo) }
}

/** The database in the path of a MongoDB URL, which may name several hosts; empty when there is none. */
function databaseOf(url: string): string {
  return decodeURIComponent(new ConnectionString(url).pathname.slice(1))
}

/** Checks that the database responds. @throws the driver's error when it does not */
export async function pingDb(db: Db): Promise<void> {
  await db.mongo.command({ ping: 1 })
}

/**
 * Whether an operation failed because the database is away, hangs, is too busy, or is changing its primary. A write may have
 * been done all the same.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof NoTurn) return true
  if (!(error instanceof MongoError)) return false
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoWriteConcernError ||
    error.name === waitQueueTimeout ||
    awayLabels.some((label) => error.hasErrorLabel(label)) ||
    passingCodes.has(Number(error.code))
  )
}

const awayLabels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult']
const maxTimeExpired = 50
/**
 * Errors that pass by themselves (MongoDB's driver specifications, "Retryable Reads", "Retryable Error"). The server labels them
 * only for writes that the driver may repeat, and for transactions: not for our own commands, changes of many documents, or reads.
 */
const primaryChanges = [91, 189, 10_107, 11_600, 11_602, 13_435, 13_436]
const unreachable = [6, 7, 89, 134, 262, 9_001]
const passingCodes = new Set([maxTimeExpired, ...primaryChanges, ...unreachable])
/** The driver does not export this class. */
const waitQueueTimeout = 'MongoWaitQueueTimeoutError'
