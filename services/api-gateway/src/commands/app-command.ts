import { createApp } from '@parley/chat/access/apps'
import { appId } from '@parley/contracts/ids'
import { everyApp } from '@parley/contracts/resources/operator'
import { findApp, findApps } from '@parley/db/apps/apps'
import { Command } from 'commander'
import { byCommand } from './by-command.ts'
import { deleteAppCommand } from './delete-app-command.ts'
import { rotateWebhookSecretCommand } from './rotate-secret-command.ts'
import { withDb } from './with-db.ts'

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
