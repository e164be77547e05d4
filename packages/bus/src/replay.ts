import { DeliverPolicy } from '@nats-io/jetstream'
import { eventStream } from '@parley/contracts/bus/streams'
import type { Bus } from './connect.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'

/**
 * Reads the captured events since a time from the stream, in its order, up to what is there now; answers how many. For
 * who was cut off and hears nothing of what passed meanwhile.
 * @throws when the bus is away
 */
export async function replayEvents(bus: Bus, sinceMS: number, handle: (event: IncomingEvent) => void): Promise<number> {
  const consumer = await bus.stream.consumers.get(eventStream.name, {
    filter_subjects: ['parley.event.>'],
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: new Date(sinceMS).toISOString(),
  })
  let left = (await consumer.info()).num_pending
  if (left === 0) return 0
  const total = left
  for await (const message of await consumer.consume()) {
    handle(toIncomingEvent(message))
    if (--left <= 0) break
  }
  return total
}
