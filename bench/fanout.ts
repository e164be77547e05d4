import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wholeNumber, wholeNumbers } from '@parley/local/whole-number'
import { Command } from 'commander'
import { printWhereTimeWent } from './cpu-profile.ts'
import { compareContestants } from './fanout/compare.ts'
import { prepareGround } from './fanout/ground.ts'
import { measureGrowth } from './fanout/growth.ts'
import { measurePresence } from './fanout/presence.ts'
import { describeResults, describeStorm, type Results } from './fanout/report.ts'
import { measureStorm, type Storm, type StormName } from './fanout/storm.ts'

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
    `What delivering costs Parley's realtime node (fed over NATS) beside bare uWebSockets.js publishing the same bytes, this
repository's socket package alone, and socket.io on uWebSockets.js and on its default engine; how that grows with rooms
and sockets; what users who come and go cost a node on which others watch some of them; what a storm of reconnects costs. The server has one core, and the load generator another, together with
the bus and the database; the generator's share of its core is printed: where it is well under 1, it was not what limited.
Runs are interleaved. Tables here, JSON in bench/results/fanout.json. Takes about 20 minutes.`,
  )
  .option('--rounds <number>', 'rounds of the comparison; their median counts', wholeNumber(1, 100), 3)
  .option('--sockets <numbers>', 'sockets in the room', wholeNumbers(1, 100_000), [1_000, 5_000])
  .option('--no-memory', 'leaves memory out, which takes long to settle')
  .option('--storm-only', 'measures nothing but the storm; JSON in bench/results/storm.json')
  .option('--presence-only', 'measures nothing but presence; JSON in bench/results/presence.json')
  .option('--storm-rounds <number>', 'storms on each server, in turn', wholeNumber(1, 100), 1)
  .option('--storm-clients <number>', 'clients that come back', wholeNumber(1, 100_000), 5_000)
  .option('--no-peers', 'leaves socket.io out of the storms')
  .option('--against <folder>', 'another checkout, whose node is stormed in turn with this one')
  .option('--profile', "shows where the CPU time of Parley's node goes in the storm; it is slower then")
  .parse()
  .opts<Options>()
const isWhole = !options.stormOnly && !options.presenceOnly
const sizes = isWhole ? options.sockets : []
const comingRounds = 3
const { stormClients, against } = options
const profiles = join(import.meta.dirname, 'results/profile')
rmSync(profiles, { recursive: true, force: true })
const say = (line: string) => console.log(`· ${line}`)
const ground = await prepareGround(Math.max(...sizes, stormClients), say)
try {
  const storms = options.presenceOnly ? [] : await measureStorms()
  if (options.stormOnly) report('storm', { storms })
  else {
    say(`users come and go ${comingRounds} times`)
    const presence = await measurePresence(ground, stormClients, comingRounds)
    if (isWhole) {
      const { rounds, memory: withMemory } = options
      const comparison = await compareContestants(ground, { sizes, rounds, withMemory, say })
      report('fanout', { comparison, growth: await measureGrowth(ground), presence, storms })
    } else report('presence', { presence, storms })
  }
} finally {
  await ground.servers.stop()
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
      say(`a storm of ${stormClients} on ${name}, round ${round}`)
      const of = { clients: stormClients, ...(against && { against }), ...(options.profile && { profiles }) }
      const storm = await measureStorm(name, ground, of)
      say(describeStorm(storm))
      storms.push(storm)
    }
  }
  return storms
}

function report(file: string, results: Results): void {
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
  writeFileSync(join(import.meta.dirname, `results/${file}.json`), `${JSON.stringify(results, null, 2)}\n`)
  for (const line of describeResults(results)) console.log(line)
  if (!options.profile) return
  printWhereTimeWent('the CPU time of Parley’s node', profiles, 25)
}
