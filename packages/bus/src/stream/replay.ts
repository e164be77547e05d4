import type { Bus } from '../connect.ts'
import { eventOrMalformed, type IncomingEvent } from '../events/incoming.ts'
import { openReading } from './read-stream.ts'
import { learnStreams } from './stream-info.ts'

/**
 * Reads the captured events of all streams since a time, in order, up to the latest. Returns their number. Used by
 * nodes that were cut off from the bus.
 * @param handle gets each event and the time at which its stream stored it, in Unix milliseconds
 * @throws if the bus is away, or goes away meanwhile
 */
export async function replayEvents(
  bus: Bus,
  sinceMS: number,
  handle: (event: IncomingEvent, takenAtMS: number) => void,
): Promise<number> {
  await learnStreams(bus)
  const all = new Map(bus.streams.names.map((stream) => [stream, ['parley.event.>']]))
  const reading = await openReading(bus, all, () => ({ sinceMS }))
  try {
    for await (const message of reading.pendingMessages()) {
      const event = eventOrMalformed(bus, message)
      if (event) handle(event, message.info.timestampNanos / 1_000_000)
    }
    return reading.pending
  } finally {
    await reading.close()
  }
}
