import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { Command } from 'commander'
import { emptyProfilesFolder, printCpuShares } from './cpu-profile.ts'
import { compareContestants } from './fanout/compare.ts'
import { growthUsers, measureGrowth } from './fanout/growth.ts'
import { measurePresence } from './fanout/presence.ts'
import { describeResults, describeStorm, type Results } from './fanout/report.ts'
import { setUp } from './fanout/setup.ts'
import { measureStorm, type Storm, type StormName } from './fanout/storm.ts'
import { saveResults } from './save-results.ts'

interface Options {
  rounds: number
  sockets: number[]
  memory: boolean
  stormOnly?: true
  presenceOnly?: true
  stormRounds: number
  stormClients: number
  peers: boolean
  against?: string
  profile?: true
}

const options = new Command('npm run bench:fanout --')
  .description(
    `Measures the CPU time per delivery of Parley's realtime node, fed over NATS, against bare uWebSockets.js publishing the same bytes,
this repository's socket package alone, and socket.io on uWebSockets.js and on its default engine. Then measures how the cost grows with
rooms and sockets, the cost of presence changes, and the cost of a reconnect storm. The server has a core of its own. The load generator
shares another core with the bus and the database; a printed share well under 1 shows that the generator was not the bottleneck.
Runs are interleaved. Prints tables and writes bench/results/fanout.json. Takes about 20 minutes.`,
  )
  .option('--rounds <number>', 'rounds of the comparison; the median counts', wholeNumber(1, 100), 3)
  .option('--sockets <numbers>', 'sockets in the room', wholeNumbers(1, 100_000), [1_000, 5_000])
  .option('--no-memory', 'skip memory, which takes long to settle')
  .option('--storm-only', 'measure only the storm; writes bench/results/storm.json')
  .option('--presence-only', 'measure only presence; writes bench/results/presence.json')
  .option('--storm-rounds <number>', 'storms per server', wholeNumber(1, 100), 1)
  .option('--storm-clients <number>', 'clients that reconnect', wholeNumber(1, 100_000), 5_000)
  .option('--no-peers', 'skip socket.io in the storms')
  .option('--against <folder>', 'another checkout, whose node is measured in turn with this one')
  .option('--profile', "also print where the CPU time of Parley's node goes in the storm; slows it down")
  .parse()
  .opts<Options>()
const isWhole = !options.stormOnly && !options.presenceOnly
const sizes = isWhole ? options.sockets : []
const churnRounds = 3
const { stormClients, against } = options
const profiles = emptyProfilesFolder()
const log = (line: string) => console.log(`· ${line}`)
const setup = await setUp(Math.max(...sizes, stormClients, isWhole ? growthUsers : 0), log)
try {
  const storms = options.presenceOnly ? [] : await measureStorms()
  if (options.stormOnly) report('storm', { storms })
  else {
    log(`users connect and disconnect ${churnRounds} times`)
    const presence = await measurePresence(setup, stormClients, churnRounds)
    if (isWhole) {
      const { rounds, memory: withMemory } = options
      const comparison = await compareContestants(setup, { sizes, rounds, withMemory, log })
      report('fanout', { comparison, growth: await measureGrowth(setup), presence, storms })
    } else report('presence', { presence, storms })
  }
} finally {
  await setup.servers.stop()
}

async function measureStorms(): Promise<Storm[]> {
  const names: StormName[] = [
    ...(against === undefined ? [] : (['before'] as const)),
    'parley',
    'parley-since',
    ...(options.peers ? (['socket.io-uws', 'socket.io'] as const) : []),
  ]
  const storms: Storm[] = []
  for (let round = 1; round <= options.stormRounds; round++) {
    for (const name of names) {
      log(`a storm of ${stormClients} on ${name}, round ${round}`)
      const of = { clients: stormClients, ...(against && { against }), ...(options.profile && { profiles }) }
      const storm = await measureStorm(name, setup, of)
      log(describeStorm(storm))
      storms.push(storm)
    }
  }
  return storms
}

function report(file: string, results: Results): void {
  saveResults(file, results)
  for (const line of describeResults(results)) console.log(line)
  if (options.profile) printCpuShares('the CPU time of Parley’s node', profiles)
}
