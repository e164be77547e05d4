import { connectDb } from '@parley/db/connect'
import { migrate, migrateTimeoutMS } from '@parley/db/migrate'

/** Brings a database's schema to this release's. @param onProgress called with a line for each migration */
export async function migrateDatabase(mongoUrl: string, onProgress: (line: string) => void): Promise<void> {
  const db = await connectDb(mongoUrl, { appName: 'parley-start', timeoutMS: migrateTimeoutMS })
  try {
    // All services that will run are of this release.
    await migrate(db, (line) => onProgress(`Schema: ${line}`))
  } finally {
    await db.client.close()
  }
}
