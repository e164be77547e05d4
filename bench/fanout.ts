import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareContestants } from './fanout/compare.ts'
import { prepareGround } from './fanout/ground.ts'
import { measureGrowth } from './fanout/growth.ts'
import { describeResults, type Results } from './fanout/report.ts'
import { measureStorm, type Storm } from './fanout/storm.ts'

const help = `npm run bench:fanout -- [options]

What delivering costs Parley's realtime node (fed over NATS) beside bare uWebSockets.js publishing the same bytes, this
repository's socket package alone, and socket.io on uWebSockets.js and on its default engine; how that grows with rooms
and sockets; what a storm of reconnects costs. The server has one core, and the load generator another, together with
the bus and the database; the generator's share of its core is printed: where it is well under 1, it was not what limited.
Runs are interleaved. Tables here, JSON in bench/results/fanout.json. Takes about 20 minutes.

  --rounds N     rounds of the comparison; their median counts (3)
  --sockets N,N  sockets in the room (1000,5000)
  --no-memory    leaves memory out, which takes long to settle
  --help`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    sockets: { type: 'string', default: '1000,5000' },
    memory: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
  allowNegative: true,
})
if (values.help) {
  console.log(help)
  process.exit()
}
const sizes = values.sockets.split(',').map(Number)
const stormClients = 5_000
const say = (line: string) => console.log(`· ${line}`)
const ground = await prepareGround(Math.max(...sizes, stormClients), say)
try {
  const comparison = await compareContestants(ground, {
    sizes,
    rounds: Number(values.rounds),
    withMemory: values.memory,
    say,
  })
  const growth = await measureGrowth(ground)
  const storms: Storm[] = []
  for (const name of ['parley', 'socket.io-uws', 'socket.io'] as const) {
    say(`a storm of ${stormClients} on ${name}`)
    storms.push(await measureStorm(name, stormClients, ground))
  }
  const results: Results = { comparison, growth, storms }
  mkdirSync(join(import.meta.dirname, 'results'), { recursive: true })
  writeFileSync(join(import.meta.dirname, 'results/fanout.json'), `${JSON.stringify(results, null, 2)}\n`)
  for (const line of describeResults(results)) console.log(line)
} finally {
  await ground.servers.stop()
}
