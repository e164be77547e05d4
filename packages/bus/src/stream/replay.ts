import type { JsMsg } from '@nats-io/jetstream'
import type { Bus } from '../connect.ts'
import { type IncomingEvent, toIncomingEvent } from '../events/incoming.ts'
import { openReading } from './read-stream.ts'
import { learnStreams } from './stream-info.ts'

/**
 * Reads the captured events since a time from all streams, in order, up to the latest; returns how many. For a
 * node that was cut off from the bus and missed them.
 * @param handle gets each with the time at which its stream took it, in Unix milliseconds
 * @throws when the bus is away, or goes away meanwhile
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
      const event = readEvent(bus, message)
      if (event) handle(event, message.info.timestampNanos / 1_000_000)
    }
    return reading.pending
  } finally {
    await reading.close()
  }
}

function readEvent(bus: Bus, message: JsMsg): IncomingEvent | undefined {
  try {
    return toIncomingEvent(message)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}
