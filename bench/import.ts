import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { emptyProfilesFolder, printCpuShares } from './cpu-profile.ts'
import { writeExport } from './export-file.ts'
import { cpuSeconds } from './process-usage.ts'
import { resultsFolder, saveResults } from './save-results.ts'

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
const profiles = emptyProfilesFolder()
const file = join(resultsFolder, 'import.ndjson')
mkdirSync(resultsFolder, { recursive: true })

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
await makeApp(servers.mongoUrl, 'bench')
await writeExport(file, { rooms, messages, hours })
const before = cpuSeconds(servers.mongo.pid ?? 0)
const { output, code, used } = await runImport()
const mongod = cpuSeconds(servers.mongo.pid ?? 0) - before
console.log(output)
const perSecond = Number(/(\d+) messages\/s/.exec(output)?.[1])
const micros = (seconds: number) => ((seconds / messages) * 1e6).toFixed(0)
console.log(`CPU time per message, with verification: import ${micros(used)} µs, mongod ${micros(mongod)} µs`)
saveResults('import', { messages, rooms, hours, perSecond, cpu: { import: used, mongod } })
rmSync(file)
await servers.stop()
if (profile) printCpuShares('the CPU time of the import', profiles)
process.exitCode = code

async function runImport(): Promise<{ output: string; code: number; used: number }> {
  const options = profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []
  const child = spawn(process.execPath, [...options, parleyFile, 'import', file, '--app', 'bench'], {
    env: { ...commandEnv, PARLEY_MONGO_URL: servers.mongoUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let used = 0
  const sampling = setInterval(() => {
    if (child.exitCode === null) used = cpuSeconds(child.pid ?? 0)
  }, 100)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
  clearInterval(sampling)
  return { output, code, used }
}
