import { BSON, type Document, Timestamp } from 'mongodb'
import type { Db } from '../db.ts'
import { isServerError } from '../server-errors.ts'
import { keepTypes } from './raw-documents.ts'
import { isBackedUp } from './snapshot.ts'

/** The oplog cannot be replayed from the backup to the requested time. The message says why. */
class BadOplog extends Error {
  override name = 'BadOplog'
}

/** A time after a backup, and a database with an oplog up to it. */
export interface PointInTime {
  source: Db
  /** Exclusive. */
  untilMS: number
}

export interface Replayed {
  changes: number
  /** The time of the last change. */
  lastAt?: Date
}

interface Entry extends Document {
  op: string
  ns: string
  o: Document
  o2?: Document
  ts: Timestamp
  wall: Date
}

/** Kept small, since MongoDB applies each applyOps command as one transaction. */
const batchLimits = { changes: 500, bytes: 4_000_000 }
/** Skipped: indexes are created at the end, collections before their first document. */
const skippedCommands = new Set([
  ...['create', 'createIndexes', 'startIndexBuild', 'commitIndexBuild', 'abortIndexBuild'],
  ...['dropIndexes', 'deleteIndexes', 'collMod'],
])

/** Parses a manifest's `<seconds>.<increment>`. */
function readClusterTime(text: string): Timestamp {
  const [t = 0, i = 0] = text.split('.').map(Number)
  return new Timestamp({ t, i })
}

const timeOf = (ts: Timestamp) => new Date(ts.getHighBitsUnsigned() * 1_000)

/** @throws BadOplog if the oplog lacks changes after the backup, or `untilMS` is not after it */
export async function checkOplog({ source, untilMS }: PointInTime, clusterTime: string): Promise<void> {
  const after = readClusterTime(clusterTime)
  const oldest = await oplogOf(source).find().sort({ $natural: 1 }).limit(1).next()
  if (!oldest || oldest.ts.greaterThan(after)) {
    const begins = oldest ? timeOf(oldest.ts).toISOString() : 'nowhere'
    throw new BadOplog(
      `the oplog begins at ${begins}, after the backup of ${timeOf(after).toISOString()}: take a later backup`,
    )
  }
  if (untilMS <= timeOf(after).getTime()) {
    throw new BadOplog(`the backup is of ${timeOf(after).toISOString()}, which is not before the time that you gave`)
  }
}

/**
 * Replays every change between a backup and `moment` into a database that was filled from the backup and has no indexes
 * yet.
 * @throws BadOplog if the oplog lacks changes after the backup, or has an operation that Parley never runs, such as
 * dropping the database
 */
export async function replayOplog(
  target: Db,
  moment: PointInTime,
  clusterTime: string,
  onProgress: (changes: number) => void,
): Promise<Replayed> {
  const { source, untilMS } = moment
  const own = `${source.mongo.databaseName}.`
  const entries = oplogOf(source).find(
    { ts: { $gt: readClusterTime(clusterTime) } },
    { ...keepTypes, sort: { $natural: 1 } },
  )
  const applier = createApplier(target)
  /** Entries of large transactions, applied when the last one arrives. */
  const pieces = new Map<string, Document[]>()
  const done: Replayed = { changes: 0 }
  let isChecked = false
  for await (const entry of entries) {
    // While the target was being filled, the source may have dropped its oldest entries. Dropping later ones fails the
    // cursor.
    if (!isChecked) await checkOplog(moment, clusterTime)
    isChecked = true
    if (entry.wall.getTime() >= untilMS) break
    for (const change of changesOf(entry, pieces)) {
      if (!String(change['ns']).startsWith(own)) continue
      const collection = String(change['ns']).slice(own.length)
      if (change['op'] === 'c') await command(applier, change['o'] as Document, entry.ts)
      else if (isBackedUp(collection)) await applier.add(change, collection)
      else continue
      done.changes++
      done.lastAt = timeOf(entry.ts)
    }
    onProgress(done.changes)
  }
  await applier.flush()
  return done
}

function oplogOf({ client }: Db) {
  return client.db('local').collection<Entry>('oplog.rs')
}

/** The changes of an entry, or of the transaction that it completes. */
function changesOf(entry: Entry, pieces: Map<string, Document[]>): Document[] {
  const { op, o } = entry
  if (op === 'n') return []
  const changes = o['applyOps'] as Document[] | undefined
  if (op !== 'c' || !changes) {
    if (o['commitTransaction'] || o['abortTransaction']) return refuse('a transaction of several shards', entry.ts)
    return [entry]
  }
  if (o['prepare']) return refuse('a transaction of several shards', entry.ts)
  const transaction = BSON.EJSON.stringify([entry['lsid'], entry['txnNumber']])
  const all = [...(pieces.get(transaction) ?? []), ...changes]
  if (o['partialTxn']) {
    pieces.set(transaction, all)
    return []
  }
  pieces.delete(transaction)
  return all
}

async function command(applier: ReturnType<typeof createApplier>, o: Document, ts: Timestamp): Promise<void> {
  const [name = ''] = Object.keys(o)
  if (skippedCommands.has(name)) return
  if (name !== 'drop') return refuse(name, ts)
  await applier.drop(String(o['drop']))
}

function refuse(operation: string, ts: Timestamp): never {
  throw new BadOplog(`${operation} at ${timeOf(ts).toISOString()} cannot be replayed: give an earlier time`)
}

function createApplier({ client, mongo }: Db) {
  /** Collections known to exist. A backup omits empty ones. */
  const created = new Set<string>()
  let batch: Document[] = []
  let bytes = 0
  async function flush(): Promise<void> {
    if (batch.length === 0) return
    // mongodb.com/docs/manual/reference/command/applyOps
    await client.db('admin').command({ applyOps: batch, writeConcern: { w: 'majority' } })
    batch = []
    bytes = 0
  }
  async function ensureCollection(collection: string): Promise<void> {
    if (created.has(collection)) return
    await mongo.createCollection(collection).catch((error: unknown) => {
      if (!isServerError(error, 'NamespaceExists')) throw error
    })
    created.add(collection)
  }
  return {
    flush,
    async drop(collection: string): Promise<void> {
      await flush()
      await mongo.collection(collection).drop()
      created.delete(collection)
    },
    async add({ op, o, o2 }: Document, collection: string): Promise<void> {
      // Omits `ui`: the collection has another UUID here.
      await ensureCollection(collection)
      const change = { op, ns: `${mongo.databaseName}.${collection}`, o, ...(o2 && { o2 }) }
      const size = BSON.calculateObjectSize(change)
      // A 16 MB document gets a command of its own.
      if (batch.length >= batchLimits.changes || bytes + size > batchLimits.bytes) await flush()
      batch.push(change)
      bytes += size
    },
  }
}
