import { LRUCache } from 'lru-cache'

/**
 * From so many messages a second in a room on, its gateways have one of them write them all. For fewer it saves MongoDB less
 * than it costs the gateways (docs/benchmarks.md, "Several gateways in one room").
 */
export const busyPerSecond = 1_000
/** A rate is that of so long at least. */
const measuredMS = 200
const rememberMS = 2_000

/** Which rooms get many messages, from whichever gateway: by how their `seq` moves. */
export interface BusyRooms {
  /** The room had come to this seq. */
  saw(roomKey: string, seq: number): void
  has(roomKey: string): boolean
}

export function createBusyRooms(): BusyRooms {
  const rates = new LRUCache<string, { seq: number; atMS: number; isBusy: boolean }>({ max: 10_000 })
  return {
    saw(roomKey, seq) {
      const before = rates.get(roomKey)
      const nowMS = performance.now()
      const tookMS = nowMS - (before?.atMS ?? nowMS)
      if (before && tookMS < measuredMS) return
      // It stays busy until it is far from it, so that it does not change between the two ways all the time.
      const isBusy =
        before !== undefined && seq - before.seq >= (tookMS / 1_000) * busyPerSecond * (before.isBusy ? 0.5 : 1)
      rates.set(roomKey, { seq, atMS: nowMS, isBusy })
    },
    has(roomKey) {
      const rate = rates.get(roomKey)
      return rate !== undefined && rate.isBusy && performance.now() - rate.atMS < rememberMS
    },
  }
}
