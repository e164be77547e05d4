import { SettingsError } from '@parley/service/settings'
import { parleyCommand } from './commands/parley-command.ts'

await parleyCommand()
  .parseAsync()
  .catch((error: Error) => {
    console.error(error instanceof SettingsError ? error.message : `parley: ${error.message}`)
    process.exitCode = 1
  })
