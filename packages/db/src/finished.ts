import type { Db as MongoDb } from 'mongodb'
import { type MigrationDoc, migrationsCollection } from './schema.ts'

/** What every service understands by now: the migrations that waited for all of them to be of a release (`finishes`). */
export interface Finished {
  /** Once true it stays true. */
  has(migration: string): Promise<boolean>
}

const lookEveryMS = 1_000

/** The database is asked at most once a second for each, and never again for what it has. */
export function watchFinished(mongo: MongoDb): Finished {
  const done = new Set<string>()
  const lookedAtMS = new Map<string, number>()
  return {
    async has(migration) {
      if (done.has(migration)) return true
      const nowMS = performance.now()
      if (nowMS < (lookedAtMS.get(migration) ?? -Infinity) + lookEveryMS) return false
      lookedAtMS.set(migration, nowMS)
      const found = await mongo.collection<MigrationDoc>(migrationsCollection).findOne({ _id: migration })
      if (found) done.add(migration)
      return found !== null
    },
  }
}
