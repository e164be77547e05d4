import { type Failure, Interrupted } from './commands/interruptible.ts'
import { parleyCommand } from './commands/parley-command.ts'

/** MongoDB quotes the whole command that it refuses. */
const shorten = (message: string) =>
  message.replace(/(?<=not authorized on .* to execute command) \{ (\w+): .*/s, ' $1')

const fail = (error: Failure & { code?: string }) => {
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1
  // The reader of a pipe, such as head, may end early.
  if (error.code === 'EPIPE') return
  console.error(`parley: ${shorten(error.message)}`)
  if (error.left !== undefined) console.error(`parley: ${error.left}`)
}

// A full disk or a reader that has ended must not end a command midway, such as a migration.
let lost: Error | undefined
process.stdout.on('error', (error) => (lost = error))
process.stderr.on('error', () => undefined)
await parleyCommand().parseAsync().catch(fail)
// The output may be the only copy of a key. console.log hides an error of the last line.
lost ??= process.stdout.errored ?? undefined
if (lost) fail(lost)
// The client of a server that hangs would keep the process alive.
process.exit()
