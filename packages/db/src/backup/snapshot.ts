import type { Timestamp } from 'mongodb'
import type { Db } from '../db.ts'
import { isServerError } from '../server-errors.ts'
import { historyCollection, raiseHistory } from './history-window.ts'
import { readRaw } from './raw-documents.ts'

/** All collections as they were at one moment. */
export interface Snapshot {
  /** The cluster time of the snapshot as `<seconds>.<increment>`, the format of `mongorestore --oplogLimit`. */
  clusterTime: string
  atMS: number
  collections: string[]
  /** The documents of a collection, as BSON. @throws SnapshotGone */
  read(collection: string): AsyncIterable<Uint8Array>
}

/** MongoDB no longer has the data of the snapshot. */
class SnapshotGone extends Error {
  override name = 'SnapshotGone'
}

const batchSize = 1_000

/**
 * Reads all collections at one majority-committed cluster time
 * (mongodb.com/docs/manual/reference/read-concern-snapshot). The snapshot has every write acknowledged before the call.
 * Nothing is locked, and writes continue.
 *
 * @param historySeconds how long MongoDB keeps the data of the snapshot; see raiseHistory
 */
export async function withSnapshot<T>(
  db: Db,
  historySeconds: number,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { client, mongo } = db
  const raised = await raiseHistory(db, historySeconds)
  const session = client.startSession({ snapshot: true })
  try {
    const listed = await mongo.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
    const collections = listed.map(({ name }) => name).filter(isBackedUp)
    if (collections.length === 0) throw new Error(`the database ${mongo.databaseName} is empty`)
    const first = await mongo.command({ find: collections[0], limit: 1 }, { session })
    const { atClusterTime } = first['cursor'] as { atClusterTime: Timestamp }
    return await work({
      clusterTime: `${atClusterTime.getHighBitsUnsigned()}.${atClusterTime.getLowBitsUnsigned()}`,
      atMS: atClusterTime.getHighBitsUnsigned() * 1_000,
      collections,
      async *read(collection) {
        try {
          yield* readRaw(db, collection, { session, batchSize })
        } catch (error) {
          if (!isServerError(error, 'SnapshotTooOld')) throw error
          throw new SnapshotGone(
            'MongoDB no longer has the data from when the backup began: raise --history-seconds, and grant its user the role hostManager',
            { cause: error },
          )
        }
      },
    })
  } finally {
    await session.endSession()
    await raised?.end()
  }
}

/** Excludes the raised history window, which is state of this server. */
export function isBackedUp(name: string): boolean {
  return !name.startsWith('system.') && name !== historyCollection
}
