import { cpuSeconds } from '../process-usage.ts'
import { type Name, names, startContestant } from './contestants.ts'
import { startLoad } from './load.ts'
import { type Delivery, measureDelivery, settledKiB } from './measure-fanout.ts'
import type { Setup } from './setup.ts'

export interface Measured {
  name: Name
  sockets: number
  /** Resident memory per idle authenticated connection, less that of the empty process; only if memory was measured. */
  KiB?: number
  /** CPU microseconds of the server per connection: handshakes, authentication and joining. */
  connectCpu: number
  sparse: Delivery
  bursts: Delivery
}

/** Deliveries per measurement: enough to make the kernel's ticks of 10 ms negligible. */
const deliveries = { sparse: 300_000, bursts: 4_000_000 }
const connectingAtOnce = 50

interface CompareOptions {
  sizes: readonly number[]
  rounds: number
  withMemory: boolean
  log: (line: string) => void
}

/** Measures every contestant in turn, in several rounds, with one room of each size. */
export async function compareContestants(
  setup: Setup,
  { sizes, rounds, withMemory, log }: CompareOptions,
): Promise<Measured[]> {
  const results: Measured[] = []
  for (const sockets of sizes) {
    for (let round = 1; round <= rounds; round++) {
      for (const name of names) {
        // Memory takes long to settle and hardly varies. Measure it once, with the most sockets.
        const memory = withMemory && round === 1 && sockets === Math.max(...sizes)
        const measured = await measure(name, sockets, setup, memory)
        const { KiB, sparse, bursts } = measured
        log(
          `${sockets} sockets, round ${round}, ${name}: sparse ${sparse.cpu.toFixed(2)} µs, bursts ${bursts.cpu.toFixed(3)} µs` +
            (KiB === undefined ? '' : `, ${KiB.toFixed(1)} KiB`),
        )
        results.push(measured)
      }
    }
  }
  return results
}

async function measure(name: Name, sockets: number, setup: Setup, memory: boolean): Promise<Measured> {
  const server = await startContestant(name, setup)
  const load = await startLoad()
  const clients = Array.from({ length: sockets }, (_, n) => server.client(n, 'all'))
  // Warm up: compile the code and open the pools.
  await load.connect({ port: server.port, clients: clients.slice(0, 500), atOnce: connectingAtOnce })
  await load.leave()
  const emptyKiB = memory ? await settledKiB(server.pid) : undefined
  const before = cpuSeconds(server.pid)
  await load.connect({ port: server.port, clients, atOnce: connectingAtOnce })
  const connectCpu = ((cpuSeconds(server.pid) - before) * 1e6) / sockets
  const KiB = emptyKiB === undefined ? undefined : ((await settledKiB(server.pid)) - emptyKiB) / sockets
  const room = { rooms: ['all'], perRoom: sockets }
  // socket.io's default engine encodes a packet per delivery; a tenth of the load is enough.
  const share = name === 'socket.io' ? 0.1 : 1
  const sparse = await measureDelivery(server, load, { mode: 'sparse', ...room, deliveries: deliveries.sparse })
  const bursts = await measureDelivery(server, load, { mode: 'bursts', ...room, deliveries: deliveries.bursts * share })
  await load.stop()
  await server.stop()
  return { name, sockets, ...(KiB !== undefined && { KiB }), connectCpu, sparse, bursts }
}
