/** The counters of a server, as plain numbers for exporting as metrics. All except `connections` only grow. */
export type Counters = {
  /** Open Engine connections, by transport. A bridge is a WebSocket on this node for a session on another node. */
  connections: { websocket: number; polling: number; bridge: number }
  /** Engine connections ever opened, by the transport they opened with. */
  opened: { websocket: number; polling: number }
  /** Polling sessions that moved to a WebSocket. */
  upgrades: number
  /**
   * Engine packets received (heartbeats included) and sent. An event of a topic counts once per socket that gets it.
   */
  packetsIn: number
  packetsOut: number
  /** Messages dropped because a slow reader's queue was full; its connection was closed. */
  drops: number
  /** Closed connections, by close reason. */
  closes: Record<string, number>
  /** HTTP errors, by the reason in the response. */
  refused: Record<string, number>
}

export function newCounters(): Counters {
  return {
    connections: { websocket: 0, polling: 0, bridge: 0 },
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
