import type { Db as MongoDb } from 'mongodb'
import { markCollection } from './backup/restore-lease.ts'
import { makeIndexes } from './collections.ts'
import type { Db } from './db.ts'
import { idsOf } from './keys.ts'

/**
 * A schema change. Idempotent, and safe to run in two processes at once. Migrations only expand the schema: during a
 * rolling update, services of the previous release must work on the result. Remove unused fields and indexes in the
 * next release.
 */
export interface Migration {
  /** Numbered, never changed once released. */
  name: string
  /** Several missing migrations with the same function run it once. */
  up: (mongo: MongoDb) => Promise<void>
}

/**
 * All migrations, in order. A change of the declared indexes (collections.ts) needs a migration that creates them
 * (CONTRIBUTING.md#add-a-migration). Never change an index in place: declare the new one beside the old one, and remove
 * the old one a release later.
 */
export const migrations: readonly Migration[] = [{ name: '0001-baseline', up: makeIndexes }]

/** SHA-256 of the declared indexes that the last migration creates. A test fails if they have changed since. */
export const migratedIndexes = '2636cd7b8e7cbb6cbd1b4d9ce3e1f2607354b52e99c6bbcc00e45489d82485ce'

/** Records the migrations that ran: one document each, with the name as ID. */
export const migrationsCollection = 'migrations'
export interface MigrationDoc {
  _id: string
  atMS: number
}

/** The database schema is older than this release needs, or a restore has not finished. */
export class OldSchemaError extends Error {
  override name = 'OldSchemaError'
}

/** @throws OldSchemaError during a restore and after an interrupted one: a migration would make the part look whole. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const done = await db.mongo.collection<MigrationDoc>(migrationsCollection).find().toArray()
  const names = new Set(idsOf(done))
  const pending = migrations.map(({ name }) => name).filter((name) => !names.has(name))
  if (pending.length > 0 && (await db.mongo.collection(markCollection).countDocuments()) > 0) {
    throw new OldSchemaError('a restore of this database has not finished: wait for it, or run `parley restore` again')
  }
  return pending
}

/** Creates the schema check: throws OldSchemaError until every migration has run. Ignores those of newer releases. */
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
