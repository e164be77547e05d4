import { setTimeout as pause } from 'node:timers/promises'
import type { JsMsg } from '@nats-io/jetstream'
import { type DurableConsumer, durableConsumers } from '@parley/contracts/bus/streams'
import type { Bus } from './connect.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'
import { ackWaitSeconds } from './stream.ts'

/** What a consumer learns of every message of the stream. */
export interface StreamMessage {
  /** Names what happened: the same if it was published twice. */
  id: string
  subject: string
  data: Uint8Array
  /** Position in the stream: the same on every delivery of this message. */
  streamSeq: number
  /** How often it was delivered, this time included. */
  attempt: number
  /** When the stream took it. */
  takenAtMS: number
}

/** What a consumer of events learns beside the event. */
export type Delivery = IncomingEvent & StreamMessage

/** Thrown by a handler when the event itself is at fault: it is acknowledged and never delivered again. */
export class BadEvent extends Error {
  override name = 'BadEvent'
}

export interface ConsumeOptions {
  /** Events handled at the same time by this process. */
  concurrency: number
  /** Told of every failure; the event comes again unless `dropped`. */
  onFailure: (error: Error, message: StreamMessage, dropped: boolean) => void
}

const lookAgainMS = 1_000

/** `consumeStream` for a consumer that is given nothing but events. */
export async function consumeEvents(
  bus: Bus,
  name: DurableConsumer,
  handle: (event: Delivery) => Promise<void>,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  return consumeStream(bus, name, (message, raw) => handle({ ...message, ...toIncomingEvent(raw) }), options, signal)
}

/**
 * Handles the stream's messages through a durable consumer until the signal aborts, then waits for what
 * is under way. A message is acknowledged after its handler settled, however long that takes; when the handler
 * throws, it is delivered again with growing pauses, except after BadEvent. When NATS loses the consumer
 * for a while, consuming goes on as soon as it is there again.
 */
export async function consumeStream(
  bus: Bus,
  name: DurableConsumer,
  handle: (message: StreamMessage, raw: JsMsg) => Promise<void>,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  while (!signal.aborted) {
    try {
      await takeMessages(bus, name, signal, async (message) => {
        const work = settle(message, handle, options).finally(() => underWay.delete(work))
        underWay.add(work)
        if (underWay.size >= options.concurrency) await Promise.race(underWay)
      })
    } catch (error) {
      if (bus.nats.isClosed()) throw error
      const nothing = { id: '', subject: durableConsumers[name].name, data: new Uint8Array(), streamSeq: 0, attempt: 0 }
      options.onFailure(error as Error, { ...nothing, takenAtMS: Date.now() }, false)
    }
    if (!signal.aborted) await pause(lookAgainMS)
  }
  await Promise.all(underWay)
}

async function takeMessages(
  bus: Bus,
  name: DurableConsumer,
  signal: AbortSignal,
  take: (message: JsMsg) => Promise<void>,
): Promise<void> {
  const { stream, name: durable } = durableConsumers[name]
  const consumer = await bus.stream.consumers.get(stream, durable)
  // Little is fetched ahead: what waits here for a free hand is not kept from being delivered to another.
  const messages = await consumer.consume({ max_messages: 50 })
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for await (const message of messages) await take(message)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function settle(
  raw: JsMsg,
  handle: (message: StreamMessage, raw: JsMsg) => Promise<void>,
  { onFailure }: ConsumeOptions,
): Promise<void> {
  const message: StreamMessage = {
    id: raw.headers?.get('Nats-Msg-Id') || `${raw.info.timestampNanos}-${raw.seq}`,
    subject: raw.subject,
    data: raw.data,
    streamSeq: raw.info.streamSequence,
    attempt: raw.info.deliveryCount,
    takenAtMS: raw.info.timestampNanos / 1_000_000,
  }
  const stillWorking = setInterval(() => raw.working(), (ackWaitSeconds * 1_000) / 3)
  try {
    await handle(message, raw)
    raw.ack()
  } catch (error) {
    const dropped = error instanceof BadEvent
    onFailure(error as Error, message, dropped)
    if (dropped) raw.term(error.message)
    else raw.nak(Math.min(1_000 * 2 ** (message.attempt - 1), 60_000))
  } finally {
    clearInterval(stillWorking)
  }
}
