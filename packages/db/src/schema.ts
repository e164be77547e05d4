import type { Db as MongoDb } from 'mongodb'
import { makeIndexes } from './collections.ts'
import type { Db } from './connect.ts'
import { keepAsLongAsSet } from './events/published-events.ts'
import { noteEarlierDeletions } from './messages/note-earlier-deletions.ts'
import { keepExpiredTokens } from './users/tokens.ts'

/**
 * A change of the schema. It is safe to run again, and by two processes at once; services of the release before must
 * work on its result, because they go on running beside it in a rolling update.
 */
export interface Migration {
  /** Numbered, never changed once released. */
  name: string
  /** Where several that are missing have the same one, it runs for the first of them alone. */
  up: (mongo: MongoDb) => Promise<void>
  /** The release before would not understand it: it waits until all services are of this one (`parley migrate --finish`). */
  finishes?: true
}

/** Turns on that new messages go into the tails of their rooms. */
export const tailsMigration = '0005-tails'

/** Turns on that the minutes in which users were active are bits of their hours. */
export const minutesMigration = '0024-minutes-of-users'

/**
 * All migrations, in order. A change of the declared indexes (collections.ts) needs a migration that makes them
 * (CONTRIBUTING.md#add-a-migration). An index is never changed in place: the new one is declared beside the old one, which
 * goes a release later.
 */
export const migrations: readonly Migration[] = [
  { name: '0001-indexes', up: makeIndexes },
  { name: '0002-pending-events', up: makeIndexes },
  { name: '0003-jobs', up: makeIndexes },
  { name: '0004-unsettled-rooms', up: makeIndexes },
  { name: tailsMigration, up: () => Promise.resolve(), finishes: true },
  { name: '0006-why', up: makeIndexes },
  { name: '0007-published-events', up: makeIndexes },
  { name: '0008-published-events-for-longer', up: makeIndexes },
  { name: '0009-reports', up: makeIndexes },
  { name: '0010-published-events-as-long-as-set', up: keepPublishedAsLongAsSet },
  { name: '0011-commands', up: makeIndexes },
  { name: '0012-bans-with-an-end', up: makeIndexes },
  { name: '0013-scheduled', up: makeIndexes },
  { name: '0014-message-streams', up: makeIndexes },
  { name: '0015-threads', up: makeIndexes },
  { name: '0016-expiring-messages', up: makeIndexes },
  { name: '0017-files', up: makeIndexes },
  { name: '0018-scheduled-files', up: makeIndexes },
  { name: '0019-invitations-and-pins', up: makeIndexes },
  { name: '0020-deleted-rooms', up: makeIndexes },
  { name: '0021-user-deletions', up: makeIndexes },
  { name: '0022-hidden-messages', up: noteEarlierDeletions },
  { name: '0023-files-by-room', up: makeIndexes },
  { name: minutesMigration, up: () => Promise.resolve(), finishes: true },
  { name: '0025-waiting-pictures', up: makeIndexes },
  { name: '0026-expired-tokens', up: keepExpired },
]

async function keepPublishedAsLongAsSet(mongo: MongoDb): Promise<void> {
  await keepAsLongAsSet(mongo)
  await makeIndexes(mongo)
}

async function keepExpired(mongo: MongoDb): Promise<void> {
  await keepExpiredTokens(mongo)
  await makeIndexes(mongo)
}

/** SHA-256 of the declared indexes that the last migration makes; a test fails when they have changed since. */
export const migratedIndexes = '0546ed41d8c4421f6a10f46c707f7f1f4ca9f0c3e871d4d18c941b074c0b3254'

/** The migrations that a database has had: one document each, its name as ID. */
export const migrationsCollection = 'migrations'
export interface MigrationDoc {
  _id: string
  atMS: number
}

/** What the database has not had, in its order. */
export interface Pending {
  /** What the services of this release need. */
  needed: string[]
  /** What waits until all services are of this release. */
  finishing: string[]
}

export async function pendingMigrations(db: Db): Promise<Pending> {
  const done = await db.mongo.collection<MigrationDoc>(migrationsCollection).find().toArray()
  const names = new Set(done.map(({ _id }) => _id))
  const pending = migrations.filter(({ name }) => !names.has(name))
  const namesOf = (some: readonly Migration[]) => some.map(({ name }) => name)
  return {
    needed: namesOf(pending.filter(({ finishes }) => !finishes)),
    finishing: namesOf(pending.filter(({ finishes }) => finishes)),
  }
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
    const { needed } = await pendingMigrations(db)
    if (needed.length > 0) {
      throw new OldSchemaError(
        `the database has an older schema, without ${needed.join(', ')}: run \`npm run parley -- migrate\``,
      )
    }
    isUpToDate = true
  }
}
