import { Interrupted } from './commands/interruptible.ts'
import { parleyCommand } from './commands/parley-command.ts'

/** MongoDB quotes the whole command that it refuses. */
const shorten = (message: string) =>
  message.replace(/(?<=not authorized on .* to execute command) \{ (\w+): .*/s, ' $1')

const fail = (error: Error & { code?: string }) => {
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1
  // The reader of a pipe, such as head, may end early.
  if (error.code !== 'EPIPE') console.error(`parley: ${shorten(error.message)}`)
}

await parleyCommand().parseAsync().catch(fail)
// console.log hides errors, such as a full disk; the output may be the only copy of a key.
if (process.stdout.errored) fail(process.stdout.errored)
// The client of a server that hangs would keep the process alive.
process.exit()
