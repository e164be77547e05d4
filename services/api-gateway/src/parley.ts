import { parleyCommand } from './commands/parley-command.ts'

await parleyCommand()
  .parseAsync()
  .catch((error: Error) => {
    console.error(`parley: ${error.message}`)
    process.exitCode = 1
  })
// The client of a server that hangs would keep the process alive.
process.exit()
