import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { eventStream } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'
import { type IncomingEvent, toIncomingEvent } from '../events/incoming.ts'
import { positionAt } from './position-at.ts'

/** After this long without a message, the bus counts as away again. */
const giveUpAfterMS = 10_000

/**
 * Reads the captured events since a time from the stream, in its order, up to the latest; returns how many. For a
 * node that was cut off from the bus and missed them.
 * @param handle gets each with the time at which the stream took it, in Unix milliseconds
 * @throws when the bus is away, or goes away meanwhile
 */
export async function replayEvents(
  bus: Bus,
  sinceMS: number,
  handle: (event: IncomingEvent, takenAtMS: number) => void,
): Promise<number> {
  const consumer = await bus.stream.consumers.get(eventStream.name, {
    filter_subjects: ['parley.event.>'],
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: await positionAt(bus, sinceMS),
  })
  let left = (await consumer.info()).num_pending
  if (left === 0) return 0
  const total = left
  const messages = await consumer.consume()
  const idle = setTimeout(() => messages.stop(), giveUpAfterMS)
  try {
    for await (const message of messages) {
      idle.refresh()
      const event = readEvent(bus, message)
      if (event) handle(event, message.info.timestampNanos / 1_000_000)
      if (--left <= 0) return total
    }
  } finally {
    clearTimeout(idle)
  }
  throw new Error(`the stream gave ${total - left} of ${total} events`)
}

function readEvent(bus: Bus, message: JsMsg): IncomingEvent | undefined {
  try {
    return toIncomingEvent(message)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}
