import { createApp, deleteApp, rotateWebhookSecret } from '@parley/chat/access/apps'
import { appId } from '@parley/contracts/ids'
import { everyApp } from '@parley/contracts/resources/operator'
import { countAppDocs, hasAppDocs } from '@parley/db/apps/app-deletion'
import { findApp, findApps } from '@parley/db/apps/apps'
import type { Db, Session } from '@parley/db/connect'
import { migrateTimeoutMS } from '@parley/db/migrate'
import { Command, InvalidArgumentError } from 'commander'
import { byCommand } from './by-command.ts'
import { interruptible } from './interruptible.ts'
import { noApp, withBus, withDb } from './with-db.ts'

const maxHours = 30 * 24
const lineEvery = 10_000

/** `parley app`: the apps of an installation. */
export function appCommand(): Command {
  const app = new Command('app').description('Manage apps')
  app
    .command('create')
    .description('Create an app and print its keys, once')
    .argument('<appID>', 'ID of the new app')
    .action(async (id: string) => {
      const { error } = appId.safeParse(id)
      if (error) throw new Error(`<appID>: ${error.issues[0]?.message}`)
      if (id === everyApp) throw new Error('the app ID * stands for all apps')
      const made = await withDb(async (db) => {
        if (await findApp(db, id)) throw new Error(`the app ${JSON.stringify(id)} already exists`)
        return createApp(byCommand(db, id, 'app create'), id)
      })
      console.log(`app ${made.app} created. Its keys, shown only once:`)
      console.log(`  client key      ${made.clientKey}`)
      console.log(`  API key         ${made.apiKey}   (with the platform permission)`)
      console.log(`  webhook secret  ${made.webhookSecret}`)
    })
  app
    .command('list')
    .description('List the apps: ID, creation time and number of active API keys')
    .action(async () => {
      const apps = await withDb(findApps)
      for (const { _id, createdAt, apiKeys, deletingSince } of apps) {
        const active = apiKeys.filter(({ revokedAt }) => !revokedAt).length
        const state = deletingSince ? 'being deleted: run app delete again' : `API keys: ${active}`
        console.log(`${_id}  made ${createdAt.toISOString()}  ${state}`)
      }
      if (apps.length === 0) console.log('there are no apps')
    })
  app.addCommand(rotateWebhookSecretCommand())
  app.addCommand(deleteAppCommand())
  return app
}

function rotateWebhookSecretCommand(): Command {
  return new Command('rotate-webhook-secret')
    .description('Give an app a new webhook secret and print it, only once; the old one stays valid for a while')
    .argument('<appID>', 'the app')
    .option(
      '--hours <number>',
      'hours for which the old secret stays valid, at most 720; 0 ends it and all earlier ones',
      toHours,
      24,
    )
    .action(async (app: string, { hours }: { hours: number }) => {
      const secret = await withDb((db) =>
        rotateWebhookSecret(byCommand(db, app, 'app rotate-webhook-secret'), app, hours),
      )
      console.log(
        `${app} has a new webhook secret, which is not shown again. Within ten seconds, every call is signed with it:`,
      )
      console.log(`  ${secret}`)
      if (hours > 0) console.log(`The old secret stays valid for ${hours} hours.`)
    })
}

function toHours(text: string): number {
  const hours = Number(text)
  if (text.trim() !== '' && hours >= 0 && hours <= maxHours) return hours
  throw new InvalidArgumentError(`expected a number from 0 to ${maxHours}.`)
}

function deleteAppCommand(): Command {
  return new Command('delete')
    .description('Delete an app with all its data, permanently. If interrupted, run it again.')
    .argument('<appID>', 'the app')
    .option('--yes', 'confirm; without it, the command fails after printing what would be deleted')
    .addHelpText(
      'after',
      '\nNeeds PARLEY_NATS_URL besides PARLEY_MONGO_URL: every realtime node has to close its sockets.',
    )
    .action((app: string, { yes = false }: { yes?: boolean }) =>
      withDb(async (db) => {
        if (app === everyApp) throw new Error('the app ID * stands for all apps')
        // A deleted app may have left data: see deleteApp.
        const exists = (await findApp(db, app)) !== null || (await hasAppDocs(db, app))
        if (!exists) throw noApp(app)
        if (yes) return deleteNow(db, app)
        const { users, rooms, messages } = await countAppDocs(db, app)
        const what = `${users} users (with user groups), ${rooms} rooms and ${messages} messages`
        throw new Error(`this would permanently delete the app ${JSON.stringify(app)} with ${what}: confirm with --yes`)
      }, migrateTimeoutMS),
    )
}

async function deleteNow(db: Db, app: string): Promise<void> {
  const deleted = new Map<string, number>()
  const onProgress = (collection: string, count: number) => {
    const before = deleted.get(collection)
    if (before === undefined || Math.floor(count / lineEvery) > Math.floor(before / lineEvery)) {
      console.log(`${collection}: ${count} deleted so far`)
    }
    deleted.set(collection, count)
  }
  const { audit } = byCommand(db, everyApp, 'app delete', app)
  let hasBegun = false
  const also = async (session: Session) => {
    hasBegun = true
    await audit?.write(db, session)
  }
  const atOnce = () => 'run it again, which resumes; until then parts of the app remain'
  await interruptible({ atOnce, failed: () => (hasBegun ? atOnce() : undefined) }, () =>
    withBus((bus, control) => deleteApp({ db, bus, control, say: console.log, onProgress, also }, app)),
  )
  console.log(`the app ${JSON.stringify(app)} is deleted`)
}
