import { connectDb, usingDb } from '@parley/db/connect'
import { migrate, migrateTimeoutMS } from '@parley/db/migrate'

/** Migrates a database to this release's schema. @param onProgress called with a line for each migration */
export async function migrateDatabase(mongoUrl: string, onProgress: (line: string) => void): Promise<void> {
  // All services that will run are from this release.
  await usingDb(connectDb(mongoUrl, { appName: 'parley-start', timeoutMS: migrateTimeoutMS }), (db) =>
    migrate(db, { onProgress: (line) => onProgress(`Schema: ${line}`) }),
  )
}
