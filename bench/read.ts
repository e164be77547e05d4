import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { connectDb } from '@parley/db/connect'
import { makeApp } from '@parley/local/make-app'
import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { startBenchService } from './bench-service.ts'
import { emptyProfilesFolder, printCpuShares, profilesInto } from './cpu-profile.ts'
import { printTable } from './print-table.ts'
import { median } from './quantile.ts'
import { bigRoom, openCalls, prepareReader, reads } from './read/rooms.ts'
import { saveResults } from './save-results.ts'

const { sizes, rounds, writes, profile } = new Command('npm run bench:read --')
  .description(
    `Measures reads as a room grows, in quiet rooms and in rooms being written to, against a bare findOne over HTTP. Every reader is in
one room of the given size and in the same small rooms. The sizes take turns, so that other load on the machine affects all alike.`,
  )
  .option(
    '--sizes <numbers>',
    'room sizes in messages',
    wholeNumbers(1, 10_000_000),
    [1_000, 10_000, 100_000, 1_000_000],
  )
  .option('--rounds <number>', 'requests per read', wholeNumber(1, 100_000), 300)
  .option('--writes <number>', 'messages per second into each room being written to', wholeNumber(1, 1_000), 20)
  .option('--profile', "also print where the gateway's CPU time goes")
  .parse()
  .opts<{ sizes: number[]; rounds: number; writes: number; profile?: true }>()
const wanted = { growth: 1.5, timesBare: 2 }

const profiles = emptyProfilesFolder()
const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const keys = await makeApp(servers.mongoUrl, 'bench')
const gateway = await startBenchService('api-gateway', servers, {
  ...(profile && { NODE_OPTIONS: profilesInto(profiles) }),
})
const { call, close } = openCalls(gateway.ports['http'] ?? 0)
const db = await connectDb(servers.mongoUrl, { appName: 'bench' })
const admin = { 'im-api-key': keys.apiKey }
await call('POST', '/admin/clients', admin, { _id: 'sender', issueAccessToken: true })
const readers: { size: number; headers: Record<string, string> }[] = []
for (const size of sizes) readers.push({ size, headers: await prepareReader(call, db, keys, size) })
const baseline = fork(join(import.meta.dirname, 'read/baseline.ts'), [
  servers.mongoUrl,
  encodeURIComponent(`${keys.app}\0${bigRoom(sizes[0] ?? 0)}`),
])
const [baselinePort] = (await once(baseline, 'message')) as [number]
const bare = openCalls(baselinePort)

const names = Object.keys(reads) as (keyof typeof reads)[]
/** Returns medians in milliseconds by read and size, and of the bare findOne. */
async function measure() {
  const times = new Map(names.map((name) => [name, new Map(sizes.map((size) => [size, [] as number[]]))]))
  const bareTimes: number[] = []
  const timed = async (into: number[] | undefined, ask: () => Promise<unknown>) => {
    const since = performance.now()
    await ask()
    into?.push(performance.now() - since)
  }
  for (let round = -20; round < rounds; round++) {
    const isCounted = round >= 0
    for (const name of names) {
      for (const { size, headers } of readers) {
        await timed(isCounted ? times.get(name)?.get(size) : undefined, () => call('GET', reads[name](size), headers))
      }
      await timed(isCounted ? bareTimes : undefined, () => bare.call('GET', '/'))
    }
  }
  const bareMS = median(bareTimes)
  return names.map((read) => {
    const medians = sizes.map((size) => median(times.get(read)?.get(size) ?? []))
    const [first = Number.NaN, last = Number.NaN] = [medians[0], medians.at(-1)]
    return {
      read,
      medianMS: Object.fromEntries(sizes.map((size, i) => [size, medians[i]])),
      growth: last / first,
      bareMS,
      timesBare: median(medians) / bareMS,
    }
  })
}

/** The same while messages are sent into every large room at a steady rate. */
async function measureWritten(): Promise<Awaited<ReturnType<typeof measure>>> {
  const sender = openCalls(gateway.ports['http'] ?? 0)
  const stop = new AbortController()
  const sending = (async () => {
    while (!stop.signal.aborted) {
      const dueMS = performance.now() + 1000 / (writes * sizes.length)
      for (const size of sizes) {
        const message = { room: bigRoom(size), sender: 'sender', message: 'x'.repeat(100), messageType: 'text' }
        await sender.call('POST', '/messages', admin, message)
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMS - performance.now()) * sizes.length))
    }
  })()
  const results = await measure()
  stop.abort()
  await sending
  await sender.close()
  return results
}

const still = await measure()
const written = await measureWritten()
for (const [title, results] of [
  ['quiet rooms', still],
  [`rooms being written to, ${writes} messages per second each`, written],
] as const) {
  console.log(`\n${title}: median of ${rounds} requests each, in milliseconds, by room size\n`)
  printTable(
    results.map(({ read, medianMS, growth, bareMS, timesBare }) => {
      const bySize = Object.entries(medianMS).map(([size, ms]) => [`of ${size}`, ms ?? Number.NaN])
      const ratios = { 'last/first': growth, bare: bareMS, '× bare': timesBare }
      return Object.assign({ read }, Object.fromEntries(bySize), ratios)
    }),
  )
}
saveResults('read', { still, written })
const worst = Math.max(...[...still, ...written].map(({ growth }) => growth))
console.log(`\ngoal: last/first under ${wanted.growth}; largest: ${worst.toFixed(2)}`)
console.log(`goal: badge and latest page at most ${wanted.timesBare} × a bare findOne`)
process.exitCode = worst < wanted.growth ? 0 : 1
await close()
await bare.close()
await db.client.close()
baseline.disconnect()
await gateway.stop()
await servers.stop()
if (profile) printCpuShares('the gateway’s CPU time', profiles)
