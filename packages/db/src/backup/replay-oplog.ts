import { BSON, type Document, MongoServerError, Timestamp } from 'mongodb'
import type { Db } from '../db.ts'
import { isBackedUp } from './snapshot.ts'

/** The oplog does not lead from the backup to the moment that was asked for; the message says why. */
class BadOplog extends Error {
  override name = 'BadOplog'
}

/** A moment after a backup, and the database whose oplog leads to it. */
export interface PointInTime {
  source: Db
  /** Changes at and after it are left out. */
  untilMS: number
}

export interface Replayed {
  changes: number
  /** The time of the last of them. */
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

/** Sizes and numbers keep their types. */
const asItIs = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const
/** MongoDB applies one command as one transaction. */
const atOnce = { changes: 500, bytes: 4_000_000 }
const namespaceExists = 48
/** Indexes are made at the end, collections before their first document. */
const passedOver = new Set([
  ...['create', 'createIndexes', 'startIndexBuild', 'commitIndexBuild', 'abortIndexBuild'],
  ...['dropIndexes', 'deleteIndexes', 'collMod'],
])

/** `<seconds>.<increment>`, as a manifest has it. */
function readClusterTime(text: string): Timestamp {
  const [t = 0, i = 0] = text.split('.').map(Number)
  return new Timestamp({ t, i })
}

const timeOf = (ts: Timestamp) => new Date(ts.getHighBitsUnsigned() * 1_000)

/** @throws BadOplog when the oplog lacks changes after the backup, or the moment is before it */
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
    throw new BadOplog(`the backup is of ${timeOf(after).toISOString()}, which is not before the moment that you gave`)
  }
}

/**
 * Makes every change between a backup and a moment in a database that was filled from this backup and has no indexes yet.
 * @throws BadOplog when the oplog lacks changes after the backup, the database was dropped, or something was done to it that Parley never does
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
    { ...asItIs, sort: { $natural: 1 } },
  )
  const applier = createApplier(target)
  /** Pieces of large transactions, which count once the last one is there. */
  const pieces = new Map<string, Document[]>()
  const done: Replayed = { changes: 0 }
  let isWhole = false
  for await (const entry of entries) {
    // Filling took its time, in which the source went on and may have dropped the oldest entries. Later ones end the cursor.
    if (!isWhole) await checkOplog(moment, clusterTime)
    isWhole = true
    if (entry.wall.getTime() >= untilMS) break
    for (const change of whole(entry, pieces)) {
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

/** The changes of an entry: its own, or those of a transaction that ends with it. */
function whole(entry: Entry, pieces: Map<string, Document[]>): Document[] {
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
  if (passedOver.has(name)) return
  if (name !== 'drop') return refuse(name, ts)
  await applier.drop(String(o['drop']))
}

function refuse(what: string, ts: Timestamp): never {
  throw new BadOplog(`${what} at ${timeOf(ts).toISOString()} cannot be replayed: give a moment before it`)
}

/** Applies changes in their order, some at a time. */
function createApplier({ client, mongo }: Db) {
  /** They exist: a backup has nothing of empty ones. */
  const made = new Set<string>()
  let batch: Document[] = []
  let bytes = 0
  async function flush(): Promise<void> {
    if (batch.length === 0) return
    // The same changes as a member of the replica set applies: mongodb.com/docs/manual/reference/command/applyOps.
    await client.db('admin').command({ applyOps: batch, writeConcern: { w: 'majority' } })
    batch = []
    bytes = 0
  }
  async function make(collection: string): Promise<void> {
    if (made.has(collection)) return
    await mongo.createCollection(collection).catch((error: unknown) => {
      if (!(error instanceof MongoServerError && error.code === namespaceExists)) throw error
    })
    made.add(collection)
  }
  return {
    flush,
    async drop(collection: string): Promise<void> {
      await flush()
      await mongo.collection(collection).drop()
      made.delete(collection)
    },
    async add({ op, o, o2 }: Document, collection: string): Promise<void> {
      // Without the collection's UUID, which is another one here.
      await make(collection)
      const change = { op, ns: `${mongo.databaseName}.${collection}`, o, ...(o2 && { o2 }) }
      const size = BSON.calculateObjectSize(change)
      // A document of 16 MB is a command of its own.
      if (batch.length >= atOnce.changes || bytes + size > atOnce.bytes) await flush()
      batch.push(change)
      bytes += size
    },
  }
}
