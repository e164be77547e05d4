import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { MongoClient } from 'mongodb'
import { startBenchService } from './bench-service.ts'
import { emptyProfilesFolder, printCpuShares, profilesInto } from './cpu-profile.ts'
import { printTable } from './print-table.ts'
import { saveResults } from './save-results.ts'
import { openApi } from './write/api.ts'
import { measureRates } from './write/rates.ts'
import { measureBatches, measureErasing, measureReading } from './write/single.ts'

const parts = ['rates', 'batches', 'erasing', 'reading'] as const

const options = new Command('npm run bench:write --')
  .description(
    `Measures the other writes: creating a group of two, adding a member, issuing a token, a batch to 1,000 receivers without and with
direct rooms, and erasing a user of 1,900 rooms; also the lists and the badge of a user of 2,000 rooms. Each is compared with the bare
transactions, inserts or reads that it needs, on the same mongod in the same run, with two realtime nodes running.`,
  )
  .option('--clients <numbers>', 'concurrent clients', wholeNumbers(1, 10_000), [1, 64])
  .option('--rounds <number>', 'turns per measurement', wholeNumber(1, 1_000), 3)
  .option('--seconds <number>', 'length of a turn', wholeNumber(1, 3_600), 4)
  .option('--only <part>', `one of ${parts.join(', ')}`)
  .option('--profile', "also print where the gateway's CPU time goes; worsens the ratios")
  .parse()
  .opts<{ clients: number[]; rounds: number; seconds: number; only?: string; profile?: true }>()
const { clients, rounds, seconds, only, profile } = options
const has = (part: (typeof parts)[number]) => only === undefined || only === part
const profiles = emptyProfilesFolder()

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'bench')
const gateway = await startBenchService('api-gateway', servers, {
  ...(profile && { NODE_OPTIONS: profilesInto(profiles) }),
})
const nodes = [
  await startBenchService('realtime', servers, { PARLEY_NODE_ID: 'node-1' }),
  await startBenchService('realtime', servers, { PARLEY_NODE_ID: 'node-2' }),
]
const baseline = fork(join(import.meta.dirname, 'write/baseline.ts'), [servers.mongoUrl])
await once(baseline, 'message')
const mongo = await MongoClient.connect(servers.mongoUrl, { writeConcern: { w: 'majority', journal: true } })
const api = openApi(`http://127.0.0.1:${gateway.ports['http']}`, keys)

const rates = has('rates') ? await measureRates(api, baseline, { clients, rounds, seconds }) : []
printTable(rates.map((rate) => ({ ...rate })))
const singles = [
  ...(has('batches') ? await measureBatches(api, mongo.db(), rounds) : []),
  ...(has('erasing') ? await measureErasing(api, mongo.db()) : []),
  ...(has('reading') ? await measureReading(api, mongo.db(), 30) : []),
]
printTable(singles.map((single) => ({ ...single })))
if (only === undefined) saveResults('write', { rates, singles })
await api.close()
await mongo.close()
baseline.disconnect()
for (const node of nodes) await node.stop()
await gateway.stop()
await servers.stop()
if (profile) printCpuShares('the gateway’s CPU time', profiles)
