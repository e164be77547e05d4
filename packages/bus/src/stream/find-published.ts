import { type Audience, eventSubject } from '@parley/contracts/bus/subjects'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Bus } from '../connect.ts'
import { BusAway } from '../events/publish.ts'
import { openReading } from './read-stream.ts'

export interface Published {
  streamSeq: number
  atMS: number
}

/** Allows for skew between our clock and that of NATS. */
const clockMarginMS = 10_000

/**
 * Finds an event in the stream by its ID, among the first `max` of its subject since a time. Undefined if it is not
 * there: not yet, no longer, or published much later.
 * @throws if the bus is away
 */
export async function findPublished(
  bus: Bus,
  { to, event, id, sinceMS }: { to: Audience; event: ServerEvent; id: string; sinceMS: number },
  max: number,
): Promise<Published | undefined> {
  if (!bus.connected) throw new BusAway('NATS is away: the stream cannot be read')
  const fromMS = sinceMS - clockMarginMS
  const subjects = bus.streams.streamsOf(to, fromMS).map((stream) => [stream, [eventSubject(to, event)]] as const)
  const reading = await openReading(bus, new Map(subjects), () => ({ sinceMS: fromMS }))
  try {
    let left = Math.min(reading.pending, max)
    if (left === 0) return undefined
    for await (const message of reading.pendingMessages()) {
      if (message.headers?.get('Nats-Msg-Id') === id) {
        return { streamSeq: message.seq, atMS: Math.floor(message.info.timestampNanos / 1_000_000) }
      }
      if (--left === 0) return undefined
    }
    return undefined
  } finally {
    await reading.close()
  }
}
