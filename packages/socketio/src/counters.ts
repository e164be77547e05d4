/** What a server counts about itself; plain numbers, read by whoever exports metrics. All but `connections` only grow. */
export type Counters = {
  /** Engine connections open now, by transport. */
  connections: { websocket: number; polling: number }
  /** Engine connections ever opened, by the transport they opened with. */
  opened: { websocket: number; polling: number }
  /** Polling sessions that moved to a WebSocket. */
  upgrades: number
  /** Engine packets received (heartbeats included) and sent. A room event counts once per socket that gets it. */
  packetsIn: number
  packetsOut: number
  /** Messages that did not fit the bounded queue of a slow reader; its connection is closed for it. */
  drops: number
  /** Closed connections, by close reason. */
  closes: Record<string, number>
  /** Requests answered with an HTTP error, by the reason in the answer. */
  refused: Record<string, number>
}

/** Counters at zero. */
export function newCounters(): Counters {
  return {
    connections: { websocket: 0, polling: 0 },
    opened: { websocket: 0, polling: 0 },
    upgrades: 0,
    packetsIn: 0,
    packetsOut: 0,
    drops: 0,
    closes: {},
    refused: {},
  }
}

/** Adds one to a named count. */
export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
