import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds } from '../process-usage.ts'
import { startContestant } from './contestants.ts'
import { startLoad } from './load.ts'
import { type Delivery, type Mode, measureDelivery } from './measure-fanout.ts'
import type { Setup } from './setup.ts'

const perRoom = 500
const roomsInAll = 10
/** Users that `measureGrowth` needs. */
export const growthUsers = roomsInAll * perRoom
const deliveries = { sparse: 200_000, bursts: 2_000_000 }
const unsubscribedEvents = 16_000
const modes = ['sparse', 'bursts'] as const satisfies Mode[]

export interface Growth {
  /** With one room of 500 sockets, and with ten, on one node. */
  rooms1: Record<Mode, Delivery>
  rooms10: Record<Mode, Delivery>
  /** CPU seconds of the node during events of a room without sockets on it, and in an equally long idle period. */
  unsubscribed: { events: number; cpuSeconds: number; quietCpuSeconds: number }
}

/** Measures Parley's node with one room, then with ten times the rooms and sockets. */
export async function measureGrowth(setup: Setup): Promise<Growth> {
  const server = await startContestant('parley', setup)
  const load = await startLoad()
  const connect = (clients: number[]) =>
    load.connect({
      port: server.port,
      clients: clients.map((n) => server.client(n, `room ${n % roomsInAll}`)),
      atOnce: 50,
    })
  const all = Array.from({ length: growthUsers }, (_, n) => n)
  const measure = async (rooms: string[]) => {
    const [sparse, bursts] = [
      await measureDelivery(server, load, { mode: modes[0], rooms, perRoom, deliveries: deliveries.sparse }),
      await measureDelivery(server, load, { mode: modes[1], rooms, perRoom, deliveries: deliveries.bursts }),
    ]
    return { sparse, bursts }
  }

  await connect(all.filter((n) => n % roomsInAll === 0))
  const rooms1 = await measure(['room 0'])
  const unsubscribed = await measureUnsubscribed(server)
  await connect(all.filter((n) => n % roomsInAll !== 0))
  const rooms10 = await measure(Array.from({ length: roomsInAll }, (_, room) => `room ${room}`))
  await load.stop()
  await server.stop()
  return { rooms1, rooms10, unsubscribed }
}

async function measureUnsubscribed(
  server: Awaited<ReturnType<typeof startContestant>>,
): Promise<Growth['unsubscribed']> {
  const begun = { cpu: cpuSeconds(server.pid), atMS: performance.now() }
  await server.publish({ events: unsubscribedEvents, burst: 32, everyMS: 10, rooms: ['unsubscribed'] })
  const used = cpuSeconds(server.pid) - begun.cpu
  const quiet = cpuSeconds(server.pid)
  await pause(performance.now() - begun.atMS)
  return { events: unsubscribedEvents, cpuSeconds: used, quietCpuSeconds: cpuSeconds(server.pid) - quiet }
}
