import { connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { ensureStreams } from '@parley/bus/stream/ensure-streams'
import { deleteStream } from '@parley/bus/stream/stream-state'
import { wholeNumber } from '@parley/local/whole-number'
import { startServers } from '@parley/stack/up'
import { Command } from 'commander'
import { printTable } from './print-table.ts'
import { cpuSeconds } from './process-usage.ts'
import { median } from './quantile.ts'

const options = new Command('npm run bench:streams --')
  .description(
    `Publishes events of 500 bytes to 1,000 rooms, stored and acknowledged, through one stream and through several on the same
nats-server, in turns. The ratios are medians over the rounds.`,
  )
  .option('--streams <number>', 'streams to compare with one', wholeNumber(2, 16), 4)
  .option('--rounds <number>', 'turns per number of streams', wholeNumber(1, 100), 5)
  .option('--events <number>', 'events per turn', wholeNumber(1_000, 1_000_000), 20_000)
  .option('--at-once <number>', 'maximum unacknowledged events', wholeNumber(1, 10_000), 256)
  .parse()
  .opts<{ streams: number; rounds: number; events: number; atOnce: number }>()

const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
const pid = servers.nats.pid ?? 0
const json = JSON.stringify({ message: 'x'.repeat(480) })
let next = 0

type Figures = Record<'clock' | 'NATS CPU' | 'own CPU', number>

/** Microseconds per event: elapsed time, CPU of NATS, and CPU of this process. */
async function turn(count: number): Promise<Figures> {
  const bus = await connectBus(servers.natsUrl, 'bench')
  await ensureStreams(bus, { maxAgeHours: 72, maxBytes: 2 ** 30, replicas: 1, count })
  let left = options.events
  const publish = async () => {
    while (left-- > 0) {
      const id = `${next++}`
      const to = { app: 'bench', room: `room ${next % 1_000}` }
      await publishEvent(bus, { to, event: 'chat message', json, id })
    }
  }
  const [beganMS, ofNats, own] = [performance.now(), cpuSeconds(pid), process.cpuUsage()]
  await Promise.all(Array.from({ length: options.atOnce }, publish))
  const { user, system } = process.cpuUsage(own)
  const figures = {
    clock: ((performance.now() - beganMS) * 1_000) / options.events,
    'NATS CPU': ((cpuSeconds(pid) - ofNats) * 1_000_000) / options.events,
    'own CPU': (user + system) / options.events,
  }
  for (const stream of bus.streams.names) await deleteStream(bus, stream)
  await bus.close()
  return figures
}

try {
  await turn(1)
  const [one, several]: [Figures[], Figures[]] = [[], []]
  for (let round = 0; round < options.rounds; round++) {
    one.push(await turn(1))
    several.push(await turn(options.streams))
  }
  const of = (rounds: Figures[], name: keyof Figures) => median(rounds.map((figures) => figures[name]))
  printTable(
    (['clock', 'NATS CPU', 'own CPU'] as const).map((name) => ({
      'µs per event': name,
      '1 stream': of(one, name),
      [`${options.streams} streams`]: of(several, name),
      ratio: median(several.map((figures, round) => figures[name] / (one[round]?.[name] ?? 1))),
    })),
  )
} finally {
  await servers.stop()
}
