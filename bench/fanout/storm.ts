import { constants, setPriority } from 'node:os'
import { cpuSeconds } from '../cpu-seconds.ts'
import { type Contestant, type Name, startContestant, startParley } from './contestants.ts'
import { type Ground, presentUsers } from './ground.ts'
import { type Load, startLoad } from './load.ts'

const everyMS = 20
const calmSeconds = 10

export interface Storm {
  name: Name
  clients: number
  seconds: number
  /** Tries that the server refused; their clients came again. */
  refused: number
  /** CPU microseconds of the server per client that is back, without what it delivered meanwhile. */
  cpu: number
  /** How late events came to those already there, in milliseconds, before the storm and during it. */
  calmP99MS: number
  stormP99MS: number
  /** The same from the third second on, when all have their connection and wait for their turn. */
  laterP99MS: number
}

/**
 * So many clients come as stock clients do that have lost their node (within a second), while others who are there already get an event fifty times a second. Parley's node has
 * its limits as they are by default.
 */
export async function measureStorm(name: Name, clients: number, ground: Ground): Promise<Storm> {
  const server = await (name === 'parley' ? startParley(ground) : startContestant(name, ground))
  const present = await startLoad()
  const there = Array.from({ length: presentUsers }, (_, n) => server.client(clients + n, 'present'))
  await present.connect({ port: server.port, clients: there, atOnce: 10 })
  const storm = await startLoad()
  // Its core is also that of the bus, the database and the measuring client: they go first.
  setPriority(storm.pid, constants.priority.PRIORITY_LOW)

  await watch(server, present, 2)
  const calm = await watch(server, present, calmSeconds)
  const before = { cpu: cpuSeconds(server.pid), atMS: performance.now() }
  const all = Array.from({ length: clients }, (_, n) => server.client(n, 'all'))
  const state = { isOver: false }
  const back = storm
    .connect({ port: server.port, clients: all, atOnce: clients, asReconnect: true })
    .then((refused) => {
      state.isOver = true
      return { refused, seconds: (performance.now() - before.atMS) / 1000 }
    })
  const late: number[] = []
  while (!state.isOver) late.push(...(await watch(server, present, 1)).lateMS)
  const elapsed = (performance.now() - before.atMS) / 1000
  const used = cpuSeconds(server.pid) - before.cpu - calm.cpuPerSecond * elapsed
  const { refused, seconds } = await back
  for (const load of [present, storm]) await load.stop()
  await server.stop()
  return {
    name,
    clients,
    seconds,
    refused,
    cpu: (used * 1e6) / clients,
    calmP99MS: p99(calm.lateMS),
    stormP99MS: p99(late),
    laterP99MS: p99(late.slice((2 * 1000) / everyMS)),
  }
}

async function watch(server: Contestant, present: Load, seconds: number) {
  await present.lateMS()
  const before = { cpu: cpuSeconds(server.pid), atMS: performance.now() }
  await server.publish({ events: (seconds * 1000) / everyMS, burst: 1, everyMS, rooms: ['present'] })
  const cpuPerSecond = ((cpuSeconds(server.pid) - before.cpu) * 1000) / (performance.now() - before.atMS)
  return { lateMS: await present.lateMS(), cpuPerSecond }
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
