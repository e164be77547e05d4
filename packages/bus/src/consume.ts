import { type DurableConsumer, durableConsumers } from '@parley/contracts/bus/streams'
import type { Bus } from './connect.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'

/** What a consumer learns beside the event. */
export interface Delivery extends IncomingEvent {
  /** Position in the stream: the same on every delivery of this event. */
  streamSeq: number
  /** How often it was delivered, this time included. */
  attempt: number
  /** When the stream took it. */
  takenAtMS: number
}

/** Thrown by a handler when the event itself is at fault: it is acknowledged and never delivered again. */
export class BadEvent extends Error {
  override name = 'BadEvent'
}

export interface ConsumeOptions {
  /** Events handled at the same time by this process. */
  concurrency: number
  /** Told of every failure; the event comes again unless `dropped`. */
  onFailure: (error: Error, event: Delivery, dropped: boolean) => void
}

/**
 * Handles the stream's events through a durable consumer until the signal aborts, then waits for what
 * is under way. An event is acknowledged after its handler settled; when the handler throws, it is
 * delivered again with growing pauses, except after BadEvent.
 */
export async function consumeEvents(
  bus: Bus,
  name: DurableConsumer,
  handle: (event: Delivery) => Promise<void>,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { stream, name: durable } = durableConsumers[name]
  const consumer = await bus.stream.consumers.get(stream, durable)
  const messages = await consumer.consume({ max_messages: options.concurrency })
  signal.addEventListener('abort', () => messages.stop(), { once: true })
  if (signal.aborted) messages.stop()
  const underWay = new Set<Promise<void>>()
  for await (const message of messages) {
    const delivery: Delivery = {
      ...toIncomingEvent(message),
      streamSeq: message.info.streamSequence,
      attempt: message.info.deliveryCount,
      takenAtMS: message.info.timestampNanos / 1_000_000,
    }
    const work = handle(delivery)
      .then(() => message.ack())
      .catch((error: Error) => {
        const dropped = error instanceof BadEvent
        options.onFailure(error, delivery, dropped)
        if (dropped) message.term(error.message)
        else message.nak(Math.min(1_000 * 2 ** (delivery.attempt - 1), 60_000))
      })
      .finally(() => underWay.delete(work))
    underWay.add(work)
    if (underWay.size >= options.concurrency) await Promise.race(underWay)
  }
  await Promise.all(underWay)
}
