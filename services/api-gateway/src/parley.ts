import { connectDb, type Db } from '@parley/db/connect'
import { createSchemaCheck } from '@parley/db/schema'
import { readSettings, SettingsError } from '@parley/service/settings'
import { mongoSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'
import { version } from '@parley/service/version'
import { Command } from 'commander'
import { appCommand } from './commands/app-command.ts'
import { auditCommand } from './commands/audit-command.ts'
import { backupCommand, restoreCommand } from './commands/backup-command.ts'
import { badgeCommand } from './commands/badge-command.ts'
import { convertCommand } from './commands/convert-command.ts'
import { importCommand } from './commands/import-command.ts'
import { keyCommand } from './commands/key-command.ts'
import { migrateCommand } from './commands/migrate-command.ts'
import { operatorCommand } from './commands/operator-command.ts'
import { sizeCommand } from './commands/size-command.ts'
import { rebuildStreamCommand } from './commands/stream-command.ts'

async function withDb<T>(work: (db: Db) => Promise<T>, timeoutMS?: number): Promise<T> {
  const { mongoUrl, mongoTls } = readSettings(mongoSettings, process.env)
  const tls = tlsOptions(mongoTls, tlsPrefix.mongo)
  const db = await connectDb(mongoUrl, { appName: 'parley-cli', tls, ...(timeoutMS !== undefined && { timeoutMS }) })
  try {
    await createSchemaCheck(db)()
    return await work(db)
  } finally {
    await db.client.close()
  }
}

const program = new Command('parley').description('Operate a Parley installation').version(version)

program.addCommand(appCommand(withDb))
program.addCommand(auditCommand(withDb))
program.addCommand(backupCommand())
program.addCommand(badgeCommand(withDb))
program.addCommand(convertCommand())
program.addCommand(importCommand(withDb))
program.addCommand(keyCommand(withDb))
program.addCommand(migrateCommand())
program.addCommand(operatorCommand(withDb))
program.addCommand(rebuildStreamCommand(withDb))
program.addCommand(restoreCommand())
program.addCommand(sizeCommand())

await program.parseAsync().catch((error: Error) => {
  console.error(error instanceof SettingsError ? error.message : `parley: ${error.message}`)
  process.exitCode = 1
})
