import { inParts } from '@parley/async/in-parts'
import { type Document, MongoServerError } from 'mongodb'
import type { Db } from '../db.ts'
import { endAbandoned } from './transaction.ts'

/**
 * 'durable': settles when it is journaled on a majority. 'soon': when the primary has it. A crash may lose it
 * unnoticed, since the driver waits for the server to be back: no later step may rely on it.
 */
export type Durability = 'durable' | 'soon'

const writeConcerns = {
  durable: { w: 'majority', j: true },
  soon: { w: 1, j: false },
} as const
/** A write that waits for longer waits for a transaction, maybe of a process that was killed in it. */
const mostMS = 4_000
/** MaxTimeMSExpired */
const timeExpired = 50
/** The server's limit for one command. */
const mostStatements = 5_000
const duplicateKey = 11_000

/** Whether a write failed since it took too long. */
export function isTimeExpired(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === timeExpired
}

interface WriteError {
  index: number
  code: number
  errmsg: string
  keyPattern?: Document
}
/** Whether an error of a statement is none for the caller. */
type PassOver = (error: WriteError) => boolean

interface WriteReply extends Document {
  n: number
  nModified?: number
  upserted?: unknown[]
  writeErrors?: WriteError[]
}

/**
 * Runs write statements of one collection as one command, without the driver's bulk classes, which cost more than the
 * writes. Outside of transactions, and never sent twice. One that waits for an abandoned transaction ends that, and
 * fails as if the database were away.
 * @param inOrder a failing statement, passed over or not, stops those after it; by default all run, in no order
 * @returns how many documents were matched or inserted, and how many of them are not as before
 * @throws MongoServerError, also when a single statement failed; MongoWriteConcernError when a majority has not
 *   confirmed the writes
 */
export async function runWrites(
  db: Db,
  command: 'update' | 'insert',
  collection: string,
  statements: readonly Document[],
  durability: Durability,
  { passOver = () => false, inOrder = false }: { passOver?: PassOver; inOrder?: boolean } = {},
): Promise<{ matched: number; changed: number }> {
  const sums = { matched: 0, changed: 0 }
  for (const part of inParts(statements, mostStatements)) {
    const reply = await runWrite(db, {
      [command]: collection,
      [command === 'update' ? 'updates' : 'documents']: part,
      ordered: inOrder,
      writeConcern: writeConcerns[durability],
      maxTimeMS: mostMS,
    })
    const failed = reply.writeErrors?.find((error) => !passOver(error))
    if (failed?.code === timeExpired) await endAbandoned(db)
    if (failed) throw new MongoServerError({ ...failed, message: failed.errmsg })
    sums.matched += reply.n
    sums.changed += command === 'insert' ? reply.n : (reply.nModified ?? 0) + (reply.upserted?.length ?? 0)
  }
  return sums
}

async function runWrite(db: Db, command: Document): Promise<WriteReply> {
  try {
    return (await db.mongo.command(command)) as WriteReply
  } catch (error) {
    if (isTimeExpired(error)) await endAbandoned(db)
    throw error
  }
}

/**
 * Inserts the documents that are not there yet, by _id, durably; returns how many.
 * @throws MongoServerError when another unique key is taken
 */
export async function insertMissing(
  db: Db,
  collection: string,
  documents: readonly (Document & { _id: string })[],
): Promise<number> {
  const taken: number[] = []
  const passOver: PassOver = ({ code, index, keyPattern }) => {
    if (code === duplicateKey && !keyPattern?.['_id']) taken.push(index)
    return code === duplicateKey
  }
  const { changed } = await runWrites(db, 'insert', collection, documents, 'durable', { passOver })
  if (taken.length === 0) return changed
  // Of a document that is there already any of its keys may be named.
  const ids = documents.map(({ _id }) => _id)
  const found = await db.mongo
    .collection<{ _id: string }>(collection)
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray()
  const there = new Set(found.map(({ _id }) => _id))
  const missing = ids.filter((id) => !there.has(id))
  if (missing.length > 0) {
    throw new MongoServerError({
      code: duplicateKey,
      message: `${collection}: keys taken by others than ${missing.join(', ')}`,
    })
  }
  return changed
}
