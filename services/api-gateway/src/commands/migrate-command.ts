import { connectDb } from '@parley/db/connect'
import { isNewDatabase, migrate, migrateTimeoutMS } from '@parley/db/migrate'
import { pendingMigrations } from '@parley/db/schema'
import { readSettings } from '@parley/service/settings'
import { mongoSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'
import { Command } from 'commander'

const reminderMS = 10_000

/** `parley migrate`: brings the database's schema to this release's; running services of the release before go on working. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description("Bring the database's schema to this release's: indexes and data. Safe to run again at any time.")
    .option('--finish', 'also what the release before would not understand: when all services are of this release')
    .option('--dry-run', 'only list the migrations that would run; exit code 2 when there are some')
    .action(async ({ dryRun = false, finish = false }: { dryRun?: boolean; finish?: boolean }) => {
      const { mongoUrl, mongoTls } = readSettings(mongoSettings, process.env)
      const tls = tlsOptions(mongoTls, tlsPrefix.mongo)
      const db = await connectDb(mongoUrl, { appName: 'parley-migrate', timeoutMS: migrateTimeoutMS, tls })
      const reminder = setInterval(() => console.log('still running'), reminderMS)
      try {
        if (dryRun) {
          const { needed, finishing } = await pendingMigrations(db)
          const pending = finish || (await isNewDatabase(db)) ? [...needed, ...finishing] : needed
          console.log(pending.length === 0 ? 'nothing to do' : pending.join('\n'))
          process.exitCode = pending.length === 0 ? 0 : 2
          return
        }
        const done = await migrate(db, console.log, { ...(finish && { finish }) })
        console.log(done.length === 0 ? 'nothing to do: the schema is up to date' : 'the schema is up to date')
        const { finishing: left } = await pendingMigrations(db)
        if (left.length > 0) {
          console.log(`when all services are of this release, run this with --finish for ${left.join(', ')}`)
        }
      } finally {
        clearInterval(reminder)
        await db.client.close()
      }
    })
}
