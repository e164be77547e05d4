/**
 * The measured load per unit of each service, as in docs/scaling.md. Pairs are the lowest and highest measurement. A test
 * compares the page with these numbers; the page names the benchmark of each.
 */
export const units = {
  /** Sends per second and core, and CPU microseconds per send. */
  gateway: { sendsPerSecond: [4_500, 7_000], sendMicros: [140, 220] },
  realtime: {
    /** Deliveries per second and core in bursts, and CPU microseconds per delivery. */
    deliveriesPerSecond: 3_000_000,
    deliveryMicros: [0.23, 0.35],
    /** Memory of an idle, authenticated connection. */
    connectionKiB: 3.7,
    /** CPU of a reconnecting client. */
    reconnectMicros: [400, 450],
  },
  push: { pushesPerSecond: 2_000 },
  mongo: { sendsPerSecond: [4_000, 8_000], sendMicros: [120, 260] },
  nats: { eventsPerSecond: [20_000, 40_000], eventMicros: [25, 45] },
  /** Gigabytes on disk per million, in one copy; `index` is the part of `mongo` for indexes. Ten members, 200 characters. */
  million: {
    users: { mongo: 0.85, index: 0.57 },
    rooms: { mongo: 2.4, index: 1.5 },
    messages: { mongo: 0.16, index: 0.03, nats: 0.77 },
  },
  /** Bytes of a statistics document with its indexes, and days of retention of minutes, hours and days. */
  statistics: { bytes: 105, minutesKept: 3, hoursKept: 40, daysKept: 400 },
} as const
