import { type Document, MongoServerError } from 'mongodb'
import { type ConfigMark, configStatement, isConfigChange } from '../apps/config-mark.ts'
import type { Db } from '../connect.ts'
import { inTransaction, type Session } from '../transactions/transaction.ts'
import { appendStatement, type TailAppend } from './append-statement.ts'
import { type Pull, pullSettled } from './settle-tails.ts'

/** The room or the configuration is not what it was. */
class NotAsKnown extends Error {
  override name = 'NotAsKnown'
}

/**
 * Puts new messages where they stay, in one transaction that moves their rooms as appendToTails does, and proves the
 * same. The tails get an entry of each without its content: what else settling does is still to be done.
 * @returns how many rooms were written: all, or none if one was not as it was read
 */
export async function appendStored(
  db: Db,
  appends: readonly TailAppend[],
  marks: readonly ConfigMark[],
): Promise<number> {
  const updates = [...marks.map(configStatement), ...appends.map(appendStatement)]
  const documents = appends.flatMap(({ messages }) => messages.map(({ message }) => message))
  try {
    const write = async (session: Session) => {
      const run = (command: Document): Promise<Document> => db.mongo.command({ ...command, ordered: true }, { session })
      const moved = await run({ update: db.rooms.collectionName, updates })
      if (moved['writeErrors']) throw toError(moved['writeErrors'][0])
      if (moved['n'] !== appends.length) throw new NotAsKnown('a room has changed')
      const inserted = await run({ insert: db.messages.collectionName, documents })
      if (inserted['writeErrors']) throw toError(inserted['writeErrors'][0])
    }
    await db.turns.take(
      appends.map(({ room }) => turnOf(room._id)),
      () => inTransaction(db, write),
    )
    return appends.length
  } catch (error) {
    if (error instanceof NotAsKnown) return 0
    throw error
  }
}

/**
 * Pulls the entries of messages that were stored when sent. A pull would conflict with the next of these transactions in
 * its rooms, so in one process they wait for each other.
 */
export async function pullStored(db: Db, pulls: readonly Pull[]): Promise<void> {
  if (pulls.length > 0)
    await db.turns.take(
      pulls.map(({ roomKey }) => turnOf(roomKey)),
      () => pullSettled(db, pulls),
    )
}

function turnOf(roomKey: string): string {
  return `stored ${roomKey}`
}

function toError(error: { code: number; errmsg: string }): Error {
  if (isConfigChange(error)) return new NotAsKnown('the configuration has changed')
  return new MongoServerError({ ...error, message: error.errmsg })
}
