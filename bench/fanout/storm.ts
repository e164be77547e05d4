import { constants, getPriority, setPriority } from 'node:os'
import { profilesInto } from '../cpu-profile.ts'
import { cpuSeconds } from '../process-usage.ts'
import { quantile } from '../quantile.ts'
import { type Contestant, type Name, startContestant, startParley } from './contestants.ts'
import { type Load, startLoad } from './load.ts'
import { presentUsers, type Setup } from './setup.ts'

const everyMS = 20
const calmSeconds = 10

/** Events that clients with `since` have missed, in the room `all`. */
const missedEvents = 3
const missedMS = 10_000

/** `before`: Parley's node from another checkout. `parley-since`: the clients replay. */
export type StormName = Extract<Name, 'parley' | 'socket.io-uws' | 'socket.io'> | 'before' | 'parley-since'

export interface StormOptions {
  clients: number
  /** The checkout of `before`. */
  against?: string
  /** Folder for the CPU profiles of Parley's node. */
  profiles?: string
}

export interface Storm {
  name: StormName
  clients: number
  seconds: number
  /** Connection attempts that the server refused; the clients retried. */
  refused: number
  /** CPU microseconds of the server per returned client, without its calm-time deliveries. */
  cpu: number
  /** CPU microseconds per client of a second storm, with nothing to deliver. */
  quietCpu: number
  /** Delivery latency of the connected clients in milliseconds, before the storm and during it. */
  calmP99MS: number
  stormP99MS: number
  /** The same from the third second on, when all clients are connected and queue for admission. */
  laterP99MS: number
}

/**
 * Measures clients that reconnect as stock clients do after losing their node, while connected clients get fifty events
 * a second. Parley's node has its default limits.
 */
export async function measureStorm(name: StormName, setup: Setup, options: StormOptions): Promise<Storm> {
  const { clients } = options
  const server = await startStormed(name, setup, options)
  const present = await startLoad()
  const there = Array.from({ length: presentUsers }, (_, n) => server.client(clients + n, 'present'))
  await present.connect({ port: server.port, clients: there, atOnce: 10 })
  const storm = await startLoad()
  // The storm shares its core with the bus, the database and the measuring client, which take precedence.
  setPriority(storm.pid, Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW))

  await watch(server, present, 2)
  const calm = await watch(server, present, calmSeconds)
  await server.publish({ events: missedEvents, burst: 1, everyMS, rooms: ['all'] })
  const before = { cpu: cpuSeconds(server.pid), atMS: performance.now() }
  const since = name === 'parley-since' ? Date.now() - missedMS : undefined
  const all = Array.from({ length: clients }, (_, n) => server.client(n, 'all', since))
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
  await storm.leave()
  await watch(server, present, 2)
  const quiet = cpuSeconds(server.pid)
  await storm.connect({ port: server.port, clients: all, atOnce: clients, asReconnect: true })
  const quietUsed = cpuSeconds(server.pid) - quiet
  for (const load of [present, storm]) await load.stop()
  await server.stop()
  return {
    name,
    clients,
    seconds,
    refused,
    cpu: (used * 1e6) / clients,
    quietCpu: (quietUsed * 1e6) / clients,
    calmP99MS: quantile(calm.lateMS, 0.99),
    stormP99MS: quantile(late, 0.99),
    laterP99MS: quantile(late.slice((2 * 1000) / everyMS), 0.99),
  }
}

function startStormed(name: StormName, setup: Setup, { against, profiles }: StormOptions): Promise<Contestant> {
  if (name === 'before') return startParley(setup, {}, against)
  if (name !== 'parley' && name !== 'parley-since') return startContestant(name, setup)
  return startParley(setup, profiles === undefined ? {} : { NODE_OPTIONS: profilesInto(profiles) })
}

async function watch(server: Contestant, present: Load, seconds: number) {
  await present.lateMS()
  const before = { cpu: cpuSeconds(server.pid), atMS: performance.now() }
  await server.publish({ events: (seconds * 1000) / everyMS, burst: 1, everyMS, rooms: ['present'] })
  const cpuPerSecond = ((cpuSeconds(server.pid) - before.cpu) * 1000) / (performance.now() - before.atMS)
  return { lateMS: await present.lateMS(), cpuPerSecond }
}
