import type { Db as MongoDb } from 'mongodb'
import { makeIndexes } from './collections.ts'
import type { Db } from './db.ts'

/**
 * A change of the schema, safe to run again and by two processes at once. It expands: services of the release before run
 * beside the new ones during an update and must work on its result. Fields and indexes that nothing uses any more go in a
 * migration of the next release.
 */
export interface Migration {
  /** Numbered, never changed once released. */
  name: string
  /** Missing migrations with the same function run it once. */
  up: (mongo: MongoDb) => Promise<void>
}

/**
 * All migrations, in order. A change of the declared indexes (collections.ts) needs a migration that makes them
 * (CONTRIBUTING.md#add-a-migration). An index is never changed in place: declare the new one beside the old one, which
 * goes a release later.
 */
export const migrations: readonly Migration[] = [{ name: '0001-baseline', up: makeIndexes }]

/** SHA-256 of the declared indexes that the last migration makes; a test fails when they have changed since. */
export const migratedIndexes = 'e41ad1e32b1c6f8074458be4e22470c70557da06b151f9f93c6852104223eceb'

/** The migrations that a database has had: one document each, its name as ID. */
export const migrationsCollection = 'migrations'
export interface MigrationDoc {
  _id: string
  atMS: number
}

/** The migrations that the database has not had, in order. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const done = await db.mongo.collection<MigrationDoc>(migrationsCollection).find().toArray()
  const names = new Set(done.map(({ _id }) => _id))
  return migrations.map(({ name }) => name).filter((name) => !names.has(name))
}

/** The database has an older schema than this release needs. */
export class OldSchemaError extends Error {
  override name = 'OldSchemaError'
}

/**
 * Makes the check of a service: it throws OldSchemaError until the database has had every migration, then passes
 * without asking again. It ignores migrations of a newer release.
 */
export function createSchemaCheck(db: Db): () => Promise<void> {
  let isUpToDate = false
  return async () => {
    if (isUpToDate) return
    const missing = await pendingMigrations(db)
    if (missing.length > 0) {
      throw new OldSchemaError(
        `the database has an older schema, without ${missing.join(', ')}: run \`npm run parley -- migrate\``,
      )
    }
    isUpToDate = true
  }
}
