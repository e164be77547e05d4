import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds, residentKiB } from '../process-usage.ts'
import type { Contestant } from './contestants.ts'
import { bytesPerEvent } from './event.ts'
import type { Load } from './load.ts'

export type Mode = 'sparse' | 'bursts'

export interface Delivery {
  /** CPU microseconds of the server per delivered event. */
  cpu: number
  /** CPU microseconds of the load generator per delivered event. */
  generatorCpu: number
  /** The share of its core that the generator used. Well below 1, the generator was not the bottleneck. */
  generatorBusy: number
}

/** V8 returns unused memory to the system only after it has been idle for a while. */
const settlingMS = 40_000

/** Resident memory of an idle process in KiB, after a garbage collection that returned unused pages. */
export async function settledKiB(pid: number): Promise<number> {
  process.kill(pid, 'SIGWINCH')
  await pause(settlingMS)
  return residentKiB(pid)
}

/**
 * Publishes to rooms in turn, one event at a time or in bursts of 32 per room, and waits until everything has arrived.
 * @param perRoom sockets per room
 */
export async function measureDelivery(
  server: Contestant,
  load: Load,
  { mode, rooms, perRoom, deliveries }: { mode: Mode; rooms: readonly string[]; perRoom: number; deliveries: number },
): Promise<Delivery> {
  const burst = mode === 'sparse' ? 1 : 32 * rooms.length
  const everyMS = mode === 'sparse' ? perRoom / 50 : (perRoom / 40) * rooms.length
  const run = async (events: number) => {
    await load.bytes()
    await server.publish({ events, burst, everyMS, rooms })
    await load.receive(events * perRoom * bytesPerEvent)
  }
  const events = Math.ceil(deliveries / perRoom / burst) * burst
  // Warm up.
  await run(events)
  const before = { server: cpuSeconds(server.pid), load: cpuSeconds(load.pid), atMS: performance.now() }
  await run(events)
  const elapsed = (performance.now() - before.atMS) / 1000
  const generator = cpuSeconds(load.pid) - before.load
  const delivered = events * perRoom
  return {
    cpu: ((cpuSeconds(server.pid) - before.server) * 1e6) / delivered,
    generatorCpu: (generator * 1e6) / delivered,
    generatorBusy: generator / elapsed,
  }
}
