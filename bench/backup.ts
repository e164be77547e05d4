import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDb, usingDb } from '@parley/db/connect'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { writeExport } from './export-file.ts'

const { messages, rooms } = new Command('npm run bench:backup --')
  .description(
    `Measures parley backup and parley restore. The time of a backup, added to the interval between backups, is the recovery point
objective (RPO). The time of a restore, including its checks before and after, is the recovery time objective (RTO).`,
  )
  .option('--messages <number>', 'messages in the database', wholeNumber(1_000, 10_000_000), 1_000_000)
  .option('--rooms <number>', 'rooms of ten members that share the messages', wholeNumber(1, 100_000), 1_000)
  .parse()
  .opts<{ messages: number; rooms: number }>()

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const dir = await mkdtemp(join(tmpdir(), 'parley-bench-backup-'))
await makeApp(servers.mongoUrl, 'bench')
await writeExport(join(dir, 'export.ndjson'), { rooms, messages, hours: 17_520 })
parley(['import', join(dir, 'export.ndjson'), '--app', 'bench'])
rmSync(join(dir, 'export.ndjson'))
const output = parley(['backup', join(dir, 'backups')])
const backup = /^(\S+Z): /m.exec(output)?.[1] ?? ''
const bytes = readdirSync(backup).reduce((sum, name) => sum + statSync(join(backup, name)).size, 0)
console.log(`The backup is ${(bytes / 1e6).toFixed(0)} MB in size`)
await usingDb(connectDb(servers.mongoUrl, {}), (db) => db.mongo.dropDatabase())
parley(['restore', backup])
await servers.stop()
rmSync(dir, { recursive: true })

function parley(args: string[]): string {
  const output = execFileSync(process.execPath, [parleyFile, ...args], {
    env: { ...commandEnv, PARLEY_MONGO_URL: servers.mongoUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString()
  console.log(output.trimEnd())
  return output
}
