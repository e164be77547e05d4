import { clock } from '@parley/async/clock'
import type { Db, Session } from './db.ts'
import { type Migration, type MigrationDoc, migrations, migrationsCollection, pendingMigrations } from './schema.ts'
import { inTransaction } from './transactions/transaction.ts'

/** Timeout of the migrating connection: indexing a large collection can take hours. */
export const migrateTimeoutMS = 24 * 60 * 60 * 1_000

export interface MigrationOptions {
  /** Called with a line when each migration begins and ends. */
  onProgress?: (line: string) => void
  /** Writes more in the transaction that notes a migration as done. */
  also?: (name: string, session: Session) => Promise<void>
}

/**
 * Migrates the database schema to this release. Runs missing migrations in sequence; several with the same `up` run it
 * once. Connect with `migrateTimeoutMS` if collections can be large.
 *
 * @returns the names of the migrations that ran
 * @throws OldSchemaError if a restore has not finished
 */
export async function migrate(db: Db, { onProgress, also }: MigrationOptions = {}): Promise<string[]> {
  await pendingMigrations(db)
  const done = db.mongo.collection<MigrationDoc>(migrationsCollection)
  const hasRun = new Set<Migration['up']>()
  const once = async (up: Migration['up']) => {
    if (!hasRun.has(up)) await up(db.mongo)
    hasRun.add(up)
  }
  // Loading it takes longer than most commands.
  const { Umzug } = await import('umzug')
  const runner = new Umzug({
    migrations: migrations.map(({ name, up }) => ({ name, up: () => once(up) })),
    logger: undefined,
    storage: {
      executed: async () => (await done.find().toArray()).map(({ _id }) => _id),
      logMigration: ({ name }) =>
        inTransaction(db, async (session) => {
          const atMS = { $setOnInsert: { atMS: clock.now() } }
          const { upsertedCount } = await done.updateOne({ _id: name }, atMS, { upsert: true, session })
          if (upsertedCount === 1) await also?.(name, session)
        }),
      unlogMigration: ({ name }) => Promise.reject(new Error(`${name}: migrations cannot be undone`)),
    },
  })
  runner.on('migrating', ({ name }) => onProgress?.(`${name}: running`))
  runner.on('migrated', ({ name }) => onProgress?.(`${name}: done`))
  return (await runner.up()).map(({ name }) => name)
}
