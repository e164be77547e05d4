/**
 * The load that one unit of each service carries, as docs/scaling.md shows it: pairs are the lowest and the highest
 * measurement. A test holds the page to these numbers; the page names the benchmark of each.
 */
export const units = {
  /** Sends a second by one core of a gateway, and the CPU of one in microseconds. */
  gateway: { sendsPerSecond: [4_500, 7_000], sendMicros: [140, 220] },
  realtime: {
    /** Of one core, by bursts, and the CPU of one in microseconds. */
    deliveriesPerSecond: 3_000_000,
    deliveryMicros: [0.23, 0.35],
    /** An idle, authenticated connection. */
    connectionKiB: 3.7,
    /** The CPU of a client that comes back. */
    reconnectMicros: [400, 450],
  },
  push: { pushesPerSecond: 2_000 },
  mongo: { sendsPerSecond: [4_000, 8_000], sendMicros: [120, 260] },
  nats: { eventsPerSecond: [20_000, 40_000], eventMicros: [25, 45] },
  /** Gigabytes of a million, on disk, in one copy; of `mongo`, `index` is indexes. Rooms have ten members, messages 200 characters. */
  million: {
    users: { mongo: 0.85, index: 0.57 },
    rooms: { mongo: 2.4, index: 1.5 },
    messages: { mongo: 0.17, index: 0.05, nats: 0.77 },
  },
  /** Of a document of statistics, with its indexes, and the days for which those of minutes, hours and days are kept. */
  statistics: { bytes: 105, minutesKept: 3, hoursKept: 40, daysKept: 400 },
} as const
