import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'

/** `npm run chaos`, `npm run since` and `npm run hostile`: tests that `npm test` runs for a short time, for as long as is asked. */
const tests = {
  chaos: {
    ...{ path: 'test/faults/chaos.test.ts', variable: 'PARLEY_CHAOS_SECONDS', seconds: 60 },
    what: 'Kills, drains and restarts realtime nodes under 300 clients and full load, and counts what each client has.',
  },
  since: {
    ...{ path: 'test/catch-up/since-chaos.test.ts', variable: 'PARLEY_SINCE_SECONDS', seconds: 120 },
    what: 'Drops 500 clients again and again while nodes, gateways and NATS are killed: auth2 with since brings everything.',
  },
  hostile: {
    ...{ path: 'test/hostile', variable: 'PARLEY_HOSTILE_SECONDS', seconds: 300 },
    what: 'Sends every hostile input of the table again and again, while a witness must be served.',
  },
}

const [name = '', ...args] = process.argv.slice(2)
const chosen = Object.entries(tests).find(([key]) => key === name)?.[1]
if (!chosen) throw new Error(`expected one of ${Object.keys(tests).join(', ')}`)
const { seconds } = new Command(`npm run ${name} --`)
  .description(chosen.what)
  .option('--seconds <number>', 'how long', wholeSeconds, chosen.seconds)
  .parse(args, { from: 'user' })
  .opts<{ seconds: number }>()
const main = join(import.meta.dirname, 'main.ts')
const env = { ...process.env, [chosen.variable]: String(seconds) }
spawn(process.execPath, [main, chosen.path], { env, stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1))

function wholeSeconds(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new InvalidArgumentError('It must be a whole number of seconds.')
}
