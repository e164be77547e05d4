import { setTimeout as pause } from 'node:timers/promises'
import type { JsMsg } from '@nats-io/jetstream'
import { clock } from '@parley/async/clock'
import { createInFlight } from '@parley/async/in-flight'
import { type DurableConsumer, durableConsumers } from '@parley/contracts/bus/streams'
import type { Bus } from '../connect.ts'
import { ackWaitSeconds, consumerState, ensureConsumer, type FindHandled, isMissing } from './stream.ts'
import { readInfo } from './stream-info.ts'

export interface StreamMessage {
  /** ID of the event, the same if it is published twice. */
  id: string
  subject: string
  data: Uint8Array
  /** Position in the stream, the same on every delivery. */
  streamSeq: number
  /** Number of deliveries, including this one. */
  attempt: number
  /** When the stream stored it. */
  takenAtMS: number
}

/**
 * Handles a message in two parts, because their errors differ. If `read` throws, the message is at fault and would fail
 * every time: it is dropped. If `handle` throws, the fault is ours or transient: the message is redelivered.
 */
export interface MessageHandler<T> {
  read: (message: StreamMessage, raw: JsMsg) => T
  handle: (read: T) => Promise<void>
}

export interface ConsumeOptions {
  /** Messages handled concurrently by this process. */
  concurrency: number
  /** Called on every failure. The message is redelivered unless `dropped`. */
  onFailure: (error: Error, message: StreamMessage, dropped: boolean) => void
  /** Finds where a recreated consumer resumes. */
  findHandled: FindHandled
}

const recheckMS = 1_000
/** A message that keeps failing blocks later streams for at most this long. */
const waitForEarlierMS = 600_000

/**
 * Handles the streams' messages through a durable consumer in each, until the signal aborts and those in flight are
 * done. A message is acked after its handler has finished, however long that takes. If the handler fails (see
 * MessageHandler), it is redelivered with backoff. If NATS loses the consumer, consuming resumes when it is back.
 */
export async function consumeStreams<T>(
  bus: Bus,
  name: DurableConsumer,
  handler: MessageHandler<T>,
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<void> {
  const inFlight = createInFlight()
  const onFault = (error: Error) => {
    const nothing = { id: '', subject: durableConsumers[name].name, data: new Uint8Array(), streamSeq: 0, attempt: 0 }
    options.onFailure(error, { ...nothing, takenAtMS: clock.now() }, false)
  }
  const take = (message: JsMsg) => {
    inFlight.add(handleAndAck(message, handler, options)).catch(onFault)
    return inFlight.below(options.concurrency)
  }
  const { findHandled } = options
  const consuming = new Map<string, Promise<void>>()
  const ended = Promise.withResolvers<void>()

  async function consume(stream: string): Promise<void> {
    while (!signal.aborted) {
      try {
        await ensureConsumer(bus, name, stream, findHandled)
        if (await isNext(bus, name, stream)) await takeMessages(bus, { name, stream }, signal, take)
      } catch (error) {
        if (bus.isClosed) throw error
        // watchStreams recreates a lost stream; a deleted consumer is recreated here. An outage is already reported.
        if (bus.connected && !isMissing(error)) onFault(error as Error)
      }
      if (!signal.aborted) await pause(recheckMS)
    }
  }

  function begin(): void {
    for (const stream of bus.streams.names) {
      if (consuming.has(stream)) continue
      const work = consume(stream)
      consuming.set(stream, work)
      work.catch((error: unknown) => ended.reject(error))
    }
  }

  begin()
  const forget = bus.streams.onGrowth(begin)
  const aborted = () => ended.resolve()
  signal.addEventListener('abort', aborted, { once: true })
  if (signal.aborted) aborted()
  try {
    await ended.promise
    await Promise.all(consuming.values())
  } finally {
    forget()
    signal.removeEventListener('abort', aborted)
  }
  await inFlight.drained()
}

/** Whether the consumer has handled the earlier events of the partitions that this stream took over. */
async function isNext(bus: Bus, name: DurableConsumer, stream: string): Promise<boolean> {
  const { created, after = {} } = await readInfo(bus, stream)
  const isOld = Date.parse(created) + waitForEarlierMS < clock.now()
  for (const [earlier, mark] of Object.entries(after)) {
    const { waiting, unacknowledged, doneUpToSeq, deliveredUpToSeq } = await consumerState(bus, name, earlier)
    if (isOld && deliveredUpToSeq >= mark) continue
    if (waiting + unacknowledged > 0 && doneUpToSeq < mark) return false
  }
  return true
}

async function takeMessages(
  bus: Bus,
  { name, stream }: { name: DurableConsumer; stream: string },
  signal: AbortSignal,
  take: (message: JsMsg) => Promise<void>,
): Promise<void> {
  const consumer = await bus.stream.consumers.get(stream, durableConsumers[name].name)
  // Fetches little ahead, so that waiting messages can go to other processes.
  const messages = await consumer.consume({ max_messages: 50, abort_on_missing_resource: true })
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  // The client itself would look for its consumer with growing backoff.
  const forget = bus.onBack(stop)
  try {
    for await (const message of messages) await take(message)
  } finally {
    forget()
    signal.removeEventListener('abort', stop)
  }
}

async function handleAndAck<T>(
  raw: JsMsg,
  { read, handle }: MessageHandler<T>,
  options: ConsumeOptions,
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
  let isRead = false
  try {
    const what = read(message, raw)
    isRead = true
    await handle(what)
    raw.ack()
  } catch (error) {
    options.onFailure(error as Error, message, !isRead)
    if (isRead) raw.nak(Math.min(1_000 * 2 ** (message.attempt - 1), 60_000))
    else raw.term()
  } finally {
    clearInterval(stillWorking)
  }
}
