import { connectBus } from '@parley/bus/connect'
import { everyApp } from '@parley/contracts/resources/operator'
import { connectDb, type Db } from '@parley/db/connect'
import { findLostIds } from '@parley/db/lost-ids'
import { type MigrationOptions, migrate, migrateTimeoutMS } from '@parley/db/migrate'
import { pendingMigrations } from '@parley/db/schema'
import { checkRights, rightsOfMigration } from '@parley/db/server/check-rights'
import { checkJournal } from '@parley/db/server/check-server'
import { closePresence, connectPresence } from '@parley/presence/connect'
import { explain } from '@parley/service/explain'
import { readSettings } from '@parley/service/settings'
import { mongoSettings, natsSettings, redisSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'
import { Command } from 'commander'
import { byCommand } from './by-command.ts'
import { interruptible, type Left } from './interruptible.ts'

const reminderMS = 10_000

/** `parley migrate`: checks the servers and migrates the schema. The previous release's services keep working. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description("Migrate the database to this release's schema: indexes and data. Safe to repeat.")
    .addHelpText('after', '\nAlso checks the servers of PARLEY_NATS_URL and PARLEY_REDIS_URL, if they are set.')
    .option('--dry-run', 'only list pending migrations; exits with 2 if there are any')
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      await checkBusAndPresence(process.env)
      const { mongoUrl, mongoTls } = readSettings(mongoSettings, process.env)
      const tls = tlsOptions(mongoTls, tlsPrefix.mongo)
      const options = { appName: 'parley-migrate', timeoutMS: migrateTimeoutMS, tls }
      const db = await explain('MongoDB', [mongoSettings.mongoUrl], connectDb(mongoUrl, options))
      const reminder = setInterval(() => console.log('still running'), reminderMS)
      try {
        if (dryRun) {
          const pending = await pendingMigrations(db)
          console.log(pending.length === 0 ? 'nothing to do' : pending.join('\n'))
          process.exitCode = pending.length === 0 ? 0 : 2
          return
        }
        const checking = checkRights(db, rightsOfMigration).then(() => checkJournal(db))
        await explain('MongoDB', [mongoSettings.mongoUrl], checking)
        const atOnce = () => 'run it again; completed migrations are not repeated'
        let hasBegun = false
        const onProgress = (line: string) => {
          hasBegun = true
          console.log(line)
        }
        const left: Left = { atOnce, failed: () => (hasBegun ? atOnce() : undefined) }
        const done = await interruptible(left, () => migrate(db, { onProgress, also: recordIn(db) }))
        console.log(done.length === 0 ? 'nothing to do: the schema is up to date' : 'the schema is up to date')
        for (const { kind, app, id } of await findLostIds(db)) {
          console.log(`app ${app}: the ${kind} ${JSON.stringify(id)} cannot be named in a URL: give it another ID`)
        }
      } finally {
        clearInterval(reminder)
        await db.client.close()
      }
    })
}

/** Each migration that ran has an entry in the log of the installation. */
function recordIn(db: Db): NonNullable<MigrationOptions['also']> {
  return async (migration, session) => {
    const { audit } = byCommand(db, everyApp, 'migrate')
    audit?.addDetails({ after: { migration } })
    await audit?.write(db, session)
  }
}

/**
 * Checks NATS and Redis as services do when they start, if their URLs are set. Reports a server that is away.
 * @throws if a server cannot run Parley, or refuses the credentials
 */
async function checkBusAndPresence(env: NodeJS.ProcessEnv): Promise<void> {
  const isSet = (name: string) => Boolean(env[name] ?? env[`${name}_FILE`])
  if (isSet(natsSettings.natsUrl.env)) await checkBus(env)
  if (isSet(redisSettings.redisUrl.env)) await checkPresence(env)
}

async function checkBus(env: NodeJS.ProcessEnv): Promise<void> {
  const { natsUrl, natsTls, natsCredentials } = readSettings(natsSettings, env)
  const access = { tls: tlsOptions(natsTls, tlsPrefix.nats), credentials: natsCredentials, isService: true }
  const bus = await explain('NATS', [natsSettings.natsUrl], connectBus(natsUrl, 'parley-migrate', {}, access))
  if (!bus.connected) console.log('NATS is away: not checked')
  await bus.close()
}

async function checkPresence(env: NodeJS.ProcessEnv): Promise<void> {
  const { redisUrl, redisTls } = readSettings(redisSettings, env)
  const tls = tlsOptions(redisTls, tlsPrefix.redis)
  const presence = await explain(
    'Redis',
    [redisSettings.redisUrl],
    connectPresence(redisUrl, () => undefined, tls),
  )
  if (presence.redis.status !== 'ready') console.log('Redis is away: not checked')
  await closePresence(presence)
}
