import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds } from '../process-usage.ts'
import { startParley } from './contestants.ts'
import { cores, pin } from './cores.ts'
import { startLoad } from './load.ts'
import type { Setup } from './setup.ts'

const watchers = 10
/** The maximum per socket (docs/reference/socket.md). */
const watched = 500
const atOnce = 50
/** Longer than a batch of changes, sent once a second, takes to reach the watchers. */
const restMS = 5_000
const quietSeconds = 15

export interface Churn {
  users: number
  /** CPU milliseconds per second of the watching node. */
  cpuPerSecond: number
  /** Bytes sent to the watchers. */
  bytes: number
}

export interface PresenceCost {
  watchers: number
  watched: number
  /** The same while presence does not change. The node polls the watched users periodically. */
  quietCpuPerSecond: number
  ofUnwatched: Churn
  ofWatched: Churn
}

/**
 * Measures the cost for a node whose sockets watch users, while users connect to another node and disconnect, `rounds`
 * times: first unwatched users, then the watched ones.
 * @throws when watchers get events of unwatched users, or none of the watched ones
 */
export async function measurePresence(setup: Setup, users: number, rounds: number): Promise<PresenceCost> {
  const settings = { PARLEY_REALTIME_ADMISSIONS_PER_SECOND: '0' }
  const node = await startParley(setup, settings)
  const elsewhere = await startParley(setup, { ...settings, PARLEY_NODE_ID: 'elsewhere' })
  pin(elsewhere.pid, cores.others)
  const [watching, coming] = [await startLoad(), await startLoad()]
  const names = Array.from({ length: watched }, (_, n) => `user ${watchers + n}`)
  const subscribe = `422${JSON.stringify(['presence subscribe', { clients: names }])}`
  const clients = Array.from({ length: watchers }, (_, n) => {
    const client = node.client(n, 'all')
    return { ...client, packets: [...client.packets, subscribe] }
  })
  await watching.connect({ port: node.port, clients, atOnce: watchers })
  await pause(restMS)

  async function churn(from: number, to: number, times: number): Promise<Churn> {
    await watching.bytes()
    const before = { cpu: cpuSeconds(node.pid), atMS: performance.now() }
    const all = Array.from({ length: to - from }, (_, n) => elsewhere.client(from + n, 'all'))
    for (let time = 0; time < times; time++) {
      await coming.connect({ port: elsewhere.port, clients: all, atOnce })
      await pause(restMS)
      await coming.leave()
      await pause(restMS)
    }
    const cpuPerSecond = ((cpuSeconds(node.pid) - before.cpu) * 1e6) / (performance.now() - before.atMS)
    return { users: all.length * times, cpuPerSecond, bytes: await watching.bytes() }
  }

  // Warm up.
  await churn(watchers, watched, 1)
  const quiet = cpuSeconds(node.pid)
  await pause(quietSeconds * 1000)
  const quietCpuPerSecond = ((cpuSeconds(node.pid) - quiet) * 1000) / quietSeconds
  const ofUnwatched = await churn(watchers + watched, users, rounds)
  const ofWatched = await churn(watchers, watchers + watched, rounds)
  for (const load of [watching, coming]) await load.stop()
  for (const server of [node, elsewhere]) await server.stop()
  if (ofUnwatched.bytes > 0) throw new Error('the watchers got events of users they do not watch')
  if (ofWatched.bytes === 0) throw new Error('the watchers got no events of the users they watch')
  return { watchers, watched, quietCpuPerSecond, ofUnwatched, ofWatched }
}
