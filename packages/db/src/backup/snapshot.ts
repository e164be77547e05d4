import { MongoServerError, type Timestamp } from 'mongodb'
import type { Db } from '../db.ts'
import { isUnauthorized } from '../unauthorized.ts'

/** All collections as they were at one moment. */
export interface Snapshot {
  /** The cluster time of the moment, as `<seconds>.<increment>`: `mongorestore --oplogLimit` and the oplog use it. */
  clusterTime: string
  atMS: number
  collections: string[]
  /** The documents of a collection, as BSON. @throws SnapshotGone */
  read(collection: string): AsyncIterable<Uint8Array>
}

/** MongoDB no longer has the data of the moment. */
class SnapshotGone extends Error {
  override name = 'SnapshotGone'
}

const snapshotTooOld = 239
const batchSize = 1_000

/**
 * Reads all collections of the database at one cluster time, which a majority has (mongodb.com/docs/manual/reference/read-concern-snapshot):
 * it has every write that was acknowledged before, and none that came later. Nothing is locked, and writes go on.
 *
 * @param historySeconds how long MongoDB keeps the data of the moment meanwhile. Without the privilege setParameter it keeps them as long as it is
 *   set to: 300 s by default
 */
export async function withSnapshot<T>(
  { client, mongo }: Db,
  historySeconds: number,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const admin = client.db('admin')
  const keep = (seconds: number) => admin.command({ setParameter: 1, [parameter]: seconds }).catch(ifUnauthorized)
  const before = await keep(historySeconds)
  const session = client.startSession({ snapshot: true })
  try {
    const listed = await mongo.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
    const collections = listed.map(({ name }) => name).filter((name) => !name.startsWith('system.'))
    if (collections.length === 0) throw new Error(`the database ${mongo.databaseName} is empty`)
    const first = await mongo.command({ find: collections[0], limit: 1 }, { session })
    const { atClusterTime } = first['cursor'] as { atClusterTime: Timestamp }
    return await work({
      clusterTime: `${atClusterTime.getHighBitsUnsigned()}.${atClusterTime.getLowBitsUnsigned()}`,
      atMS: atClusterTime.getHighBitsUnsigned() * 1_000,
      collections,
      async *read(collection) {
        try {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- with `raw`, the driver returns documents as bytes
          yield* mongo
            .collection(collection)
            .find({}, { session, raw: true, batchSize }) as AsyncIterable<unknown> as AsyncIterable<Uint8Array>
        } catch (error) {
          if (!(error instanceof MongoServerError && error.code === snapshotTooOld)) throw error
          throw new SnapshotGone(
            'MongoDB no longer has the data of the moment at which the backup began: give --history-seconds, and its user the role hostManager',
            { cause: error },
          )
        }
      },
    })
  } finally {
    await session.endSession()
    if (before) await keep(Number(before['was']))
  }
}

const parameter = 'minSnapshotHistoryWindowInSeconds'

function ifUnauthorized(error: unknown): undefined {
  if (!isUnauthorized(error)) throw error
}
