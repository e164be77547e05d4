import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { printWhereTimeWent } from './cpu-profile.ts'
import { cpuSeconds } from './cpu-seconds.ts'
import { writeExport } from './export-file.ts'

const { messages, rooms, hours, profile } = new Command('npm run bench:import --')
  .description(
    `Measures parley import of another chat service's messages: messages per second, from opening the file to the last membership, and the CPU
time of the import and of mongod. One message in ten has a reaction, one in ten is a reply, one in twenty is in a thread.`,
  )
  .option('--messages <number>', 'messages in the file', wholeNumber(1_000, 10_000_000), 200_000)
  .option('--rooms <number>', 'rooms of ten members that share the messages', wholeNumber(1, 100_000), 200)
  .option('--hours <number>', 'from the first message to the last, which is sent now', wholeNumber(1, 100_000), 17_520)
  .option('--profile', 'also print where the CPU time of the import goes; slows it down')
  .parse()
  .opts<{ messages: number; rooms: number; hours: number; profile?: true }>()
const results = join(import.meta.dirname, 'results')
const profiles = join(results, 'profile')
const file = join(results, 'import.ndjson')
mkdirSync(results, { recursive: true })
rmSync(profiles, { recursive: true, force: true })

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
await makeApp(servers.mongoUrl, 'bench')
await writeExport(file, { rooms, messages, hours })
const before = cpuSeconds(servers.mongo.pid ?? 0)
const { said, code, used } = await runImport()
const mongod = cpuSeconds(servers.mongo.pid ?? 0) - before
console.log(said)
const perSecond = Number(/(\d+) messages\/s/.exec(said)?.[1])
const micros = (seconds: number) => ((seconds / messages) * 1e6).toFixed(0)
console.log(`CPU time per message, with verification: import ${micros(used)} µs, mongod ${micros(mongod)} µs`)
writeFileSync(
  join(results, 'import.json'),
  `${JSON.stringify({ messages, rooms, hours, perSecond, cpu: { import: used, mongod } }, null, 2)}\n`,
)
rmSync(file)
await servers.stop()
if (profile) printWhereTimeWent('the CPU time of the import', profiles, 25)
process.exitCode = code

async function runImport(): Promise<{ said: string; code: number; used: number }> {
  const parley = join(import.meta.dirname, '../services/api-gateway/src/parley.ts')
  const options = profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []
  const child = spawn(process.execPath, [...options, parley, 'import', file, '--app', 'bench'], {
    env: { PATH: process.env['PATH'], PARLEY_MONGO_URL: servers.mongoUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let used = 0
  const look = setInterval(() => {
    if (child.exitCode === null) used = cpuSeconds(child.pid ?? 0)
  }, 100)
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
  clearInterval(look)
  return { said, code, used }
}
