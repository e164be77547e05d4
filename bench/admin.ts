import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { MongoClient } from 'mongodb'
import { fillApp } from './admin/fill-app.ts'
import { startBenchService } from './bench-service.ts'
import { printTable } from './print-table.ts'
import { median, quantile } from './quantile.ts'
import { openCalls } from './read/rooms.ts'
import { saveResults } from './save-results.ts'

const { rooms, users, messages, rounds } = new Command('npm run bench:admin --')
  .description('Measures the admin read operations in a large app against a bare findOne over HTTP.')
  .option('--rooms <number>', 'rooms', wholeNumber(10, 10_000_000), 100_000)
  .option('--users <number>', 'users', wholeNumber(10, 10_000_000), 100_000)
  .option('--messages <number>', 'messages in total', wholeNumber(10, 100_000_000), 1_000_000)
  .option('--rounds <number>', 'requests per operation', wholeNumber(1, 100_000), 200)
  .parse()
  .opts<{ rooms: number; users: number; messages: number; rounds: number }>()
const wantedMS = 50

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'bench')
const mongo = await MongoClient.connect(servers.mongoUrl)
const gateway = await startBenchService('api-gateway', servers)
await fillApp(mongo.db(), keys.app, { rooms, users, messages })
const admin = { 'im-api-key': keys.apiKey }
const { call, close } = openCalls(gateway.ports['http'] ?? 0)
const baseline = fork(join(import.meta.dirname, 'read/baseline.ts'), [
  servers.mongoUrl,
  encodeURIComponent(`${keys.app}\0room 1`),
])
const [baselinePort] = (await once(baseline, 'message')) as [number]
const bare = openCalls(baselinePort)

const q = (filter: object) => encodeURIComponent(JSON.stringify(filter))
const middle = Math.floor(rooms / 2)
const { cursor } = (await call('GET', '/admin/rooms?limit=50', admin)) as { cursor: string }
const reads: Record<string, string> = {
  'rooms, latest': '/admin/rooms?limit=50',
  'rooms, second page': `/admin/rooms?limit=50&cursor=${cursor}`,
  'rooms by a word of the name': `/admin/rooms?search=${String(middle).slice(0, 2)}`,
  'rooms by tag': `/admin/rooms?q=${q({ roomTags: 'tag 3' })}`,
  'one room by ID': `/admin/rooms?q=${q({ _id: `room ${middle}` })}`,
  'a room': `/admin/rooms/room%20${middle}`,
  members: '/admin/rooms/room%200/members?limit=50',
  messages: '/admin/rooms/room%200/messages?limit=50',
  pins: '/admin/rooms/room%200/pins',
  bans: '/admin/rooms/room%200/bans',
  'a user': '/admin/clients/user%201',
  'rooms of a user': '/admin/clients/user%201/rooms',
  audit: '/admin/audit?limit=50',
}
const times = new Map(Object.keys(reads).map((name) => [name, [] as number[]]))
const bareTimes: number[] = []
for (let round = -10; round < rounds; round++) {
  for (const [name, path] of [...Object.entries(reads), ['', ''] as const]) {
    const since = performance.now()
    await (name === '' ? bare.call('GET', '/') : call('GET', path, admin))
    if (round >= 0) (name === '' ? bareTimes : times.get(name))?.push(performance.now() - since)
  }
}
const bareMS = median(bareTimes)
const results = [...times].map(([read, found]) => ({
  read,
  medianMS: median(found),
  p95MS: quantile(found, 0.95),
  timesBare: median(found) / bareMS,
}))
console.log(`\n${messages} messages, ${rooms} rooms, ${users} users; a bare findOne: ${bareMS.toFixed(2)} ms\n`)
printTable(
  results.map(({ read, medianMS, p95MS, timesBare }) => {
    return { read, 'median ms': medianMS, '95 %': p95MS, '× bare': timesBare }
  }),
)
saveResults('admin', { rooms, users, messages, bareMS, results })
const slow = results.filter(({ medianMS }) => medianMS > wantedMS)
console.log(`\ngoal: every median under ${wantedMS} ms; over it: ${slow.map(({ read }) => read).join(', ') || 'none'}`)
process.exitCode = slow.length === 0 ? 0 : 1
await close()
await bare.close()
await mongo.close()
baseline.disconnect()
await gateway.stop()
await servers.stop()
