import { inParts } from '@parley/async/in-parts'
import { type Document, MongoServerError } from 'mongodb'
import type { Db } from '../db.ts'
import { idsOf } from '../keys.ts'
import { errorCodes, isServerError } from '../server-errors.ts'
import { endAbandoned } from './transaction.ts'

/**
 * 'durable': resolves once the write is journaled on a majority. 'soon': once the primary has it. A crash can lose such
 * a write unnoticed, so no later step may rely on it.
 */
type Durability = 'durable' | 'soon'

const writeConcerns = {
  durable: { w: 'majority', j: true },
  soon: { w: 1, j: false },
} as const
/** A write that takes longer waits for a transaction, possibly of a killed process. */
const maxMS = 4_000
/** The server's limit for one command. */
const maxStatements = 5_000

interface WriteError {
  index: number
  code: number
  errmsg: string
  keyPattern?: Document
}
/** Whether to ignore the error of a statement. */
type PassOver = (error: WriteError) => boolean

interface WriteReply extends Document {
  n: number
  nModified?: number
  upserted?: unknown[]
  writeErrors?: WriteError[]
}

/**
 * Runs write statements on one collection as one command, without the driver's bulk classes, which cost more CPU than
 * the writes. Not for transactions; never retried. A write that waits for an abandoned transaction ends that
 * transaction, and fails as if the database were down.
 * @param inOrder a failed statement, ignored or not, stops the later ones; by default all run, unordered
 * @returns the number of documents matched or inserted, and how many of those changed
 * @throws MongoServerError if the command or a statement failed; MongoWriteConcernError if a majority has not confirmed
 * the writes
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
  for (const part of inParts(statements, maxStatements)) {
    const reply = await runWrite(db, {
      [command]: collection,
      [command === 'update' ? 'updates' : 'documents']: part,
      ordered: inOrder,
      writeConcern: writeConcerns[durability],
      maxTimeMS: maxMS,
    })
    const failed = reply.writeErrors?.find((error) => !passOver(error))
    if (failed?.code === errorCodes.MaxTimeMSExpired) await endAbandoned(db)
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
    if (isServerError(error, 'MaxTimeMSExpired')) await endAbandoned(db)
    throw error
  }
}

/**
 * Durably inserts the documents with an `_id` that does not exist yet, and returns their number.
 * @throws MongoServerError if another unique key is taken
 */
export async function insertMissing(
  db: Db,
  collection: string,
  documents: readonly (Document & { _id: string })[],
): Promise<number> {
  const taken: number[] = []
  const passOver: PassOver = ({ code, index, keyPattern }) => {
    if (code === errorCodes.DuplicateKey && !keyPattern?.['_id']) taken.push(index)
    return code === errorCodes.DuplicateKey
  }
  const { changed } = await runWrites(db, 'insert', collection, documents, 'durable', { passOver })
  if (taken.length === 0) return changed
  // For a document that already exists, the server can report any of its unique keys.
  const ids = idsOf(documents)
  const found = await db.mongo
    .collection<{ _id: string }>(collection)
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray()
  const existing = new Set(idsOf(found))
  const missing = ids.filter((id) => !existing.has(id))
  if (missing.length > 0) {
    throw new MongoServerError({
      code: errorCodes.DuplicateKey,
      message: `${collection}: unique keys of ${missing.join(', ')} are taken by other documents`,
    })
  }
  return changed
}
