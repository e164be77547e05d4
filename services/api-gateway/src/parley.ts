import { createApp } from '@parley/chat/create-app'
import { connectDb } from '@parley/db/connect'
import { readSettings, SettingsError } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { Command } from 'commander'

const program = new Command('parley').description('Operate a Parley installation')

program
  .command('app')
  .description('Manage apps')
  .command('create')
  .description('Create an app and print its keys, once')
  .argument('<appID>', 'ID of the new app')
  .action(async (app: string) => {
    const { mongoUrl } = readSettings(sharedSettings, process.env)
    const db = await connectDb(mongoUrl, { appName: 'parley-cli' })
    try {
      const made = await createApp(db, app)
      console.log(`app ${made.app} created. Its keys are stored as digests and not shown again:`)
      console.log(`  client key      ${made.clientKey}`)
      console.log(`  API key         ${made.apiKey}   (with the platform permission)`)
      console.log(`  webhook secret  ${made.webhookSecret}`)
    } finally {
      await db.client.close()
    }
  })

await program.parseAsync().catch((error: Error) => {
  console.error(error instanceof SettingsError ? error.message : `parley: ${error.message}`)
  process.exitCode = 1
})
