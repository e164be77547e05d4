import { randomUUID } from 'node:crypto'
import type { Lease } from '@parley/async/alone'
import { clock } from '@parley/async/clock'
import type { Db } from '../db.ts'
import { isServerError } from '../server-errors.ts'

/** Has one document during a restore. Services are not ready meanwhile: the migrations are restored last. */
export const markCollection = 'restoring'
const _id = 'backup'

interface Mark {
  _id: typeof _id
  /** Of the backup that is being restored. */
  clusterTime: string
  by: string
  leaseUntilMS: number
}

/** The database has documents, or is being restored from another backup. */
class NotEmpty extends Error {
  override name = 'NotEmpty'
}

/**
 * The lease of a restore: a second one would drop the collections that the first has filled. Taking it fails with
 * NotEmpty if the database has other documents than those of an interrupted restore of this backup.
 */
export function restoreLease({ mongo }: Db, clusterTime: string): Lease {
  const marks = mongo.collection<Mark>(markCollection)
  const own = { _id, by: randomUUID() } as const
  return {
    async take(leaseMS) {
      const now = clock.now()
      const held = { by: own.by, leaseUntilMS: now + leaseMS }
      const free = { _id, clusterTime, leaseUntilMS: { $lte: now } } as const
      if ((await marks.updateOne(free, { $set: held })).matchedCount > 0) return undefined
      const mark = await marks.findOne({ _id })
      if (mark && mark.clusterTime !== clusterTime) {
        throw new NotEmpty(
          `the backup of ${mark.clusterTime} was being restored here: restore that one, or drop the database`,
        )
      }
      if (mark) return mark.leaseUntilMS
      await requireEmpty(mongo)
      try {
        await marks.insertOne({ _id, clusterTime, ...held })
        return undefined
      } catch (error) {
        if (isServerError(error, 'DuplicateKey')) return 0
        throw error
      }
    },
    async renew(leaseMS) {
      const { matchedCount } = await marks.updateOne(own, { $set: { leaseUntilMS: clock.now() + leaseMS } })
      return matchedCount > 0
    },
    async end() {
      await marks.updateOne(own, { $set: { leaseUntilMS: 0 } })
    },
    busy: () => new Error('another process is restoring this backup into the database'),
    lost: () => new Error('the restore stalled and another process took its lease: run it again'),
  }
}

async function requireEmpty(mongo: Db['mongo']): Promise<void> {
  for (const { name } of await mongo.listCollections({}, { nameOnly: true }).toArray()) {
    if (await mongo.collection(name).findOne({}, { projection: { _id: 1 } })) {
      throw new NotEmpty(`the database ${mongo.databaseName} has documents in ${name}: restore into an empty one`)
    }
  }
}

/** Drops what an interrupted restore has left. */
export async function dropRestored({ mongo }: Db, requireAlone: () => Promise<void>): Promise<void> {
  for (const { name } of await mongo.listCollections({}, { nameOnly: true }).toArray()) {
    if (name === markCollection) continue
    await requireAlone()
    await mongo.collection(name).drop()
  }
}
