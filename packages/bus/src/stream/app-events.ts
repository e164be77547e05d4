import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { clock } from '@parley/async/clock'
import { busHeaders } from '@parley/contracts/bus/headers'
import type { Bus } from '../connect.ts'
import { readRepublished } from '../events/publish.ts'
import { readInfo } from './stream-info.ts'

export interface StoredMessage {
  stream: string
  seq: number
  /** When the stream stored it. */
  takenAtMS: number
  /** Same as `takenAtMS`; for an event published again, when it was first recorded. */
  timeMS: number
  id: string
  subject: string
  data: Uint8Array
  /** ID of the request that caused it; empty if unknown. */
  request: string
}

/** The extent of a stream, over all apps. */
interface StreamBounds {
  /** When NATS created it, which identifies it. */
  created: string
  /** For a stream that took over partitions: by earlier stream, the position after its last event of these. */
  after: Readonly<Record<string, number>>
  /** First position of a stream that took over partitions; 0 for any other. */
  grownFromSeq: number
  /** Position of the oldest message; of the next one if there is none. */
  firstSeq: number
  /** When the oldest message was stored; now if there is none. */
  firstAtMS: number
  lastSeq: number
}

/** @throws if the bus is away or the stream does not exist */
export async function streamBounds(bus: Bus, stream: string): Promise<StreamBounds> {
  const { created, config, state, after } = await readInfo(bus, stream)
  const firstAtMS = state.messages > 0 ? Date.parse(state.first_ts) : clock.now()
  // NATS omits the default first position.
  const grownFromSeq = after ? config.first_seq || 1 : 0
  return { created, after: after ?? {}, grownFromSeq, firstSeq: state.first_seq, firstAtMS, lastSeq: state.last_seq }
}

interface PartOfStream {
  stream: string
  subjects: readonly string[]
  afterSeq: number
  /** Maximum number of messages; `maxBytes` may be exceeded by one message. */
  limit: number
  maxBytes: number
}

/** Without a message for this long, the bus counts as away. */
const giveUpAfterMS = 10_000

/** Reads messages of some subjects after a position, in order, up to the limit. @throws if the bus is away */
export async function readPart(
  bus: Bus,
  { stream, subjects, afterSeq, limit, maxBytes }: PartOfStream,
): Promise<StoredMessage[]> {
  const consumer = await orderedFrom(bus, stream, subjects, afterSeq)
  const { num_pending: pending } = await consumer.info()
  const wanted = Math.min(pending, limit)
  const messages: StoredMessage[] = []
  let bytes = 0
  if (wanted > 0) {
    for await (const message of await consumer.fetch({ max_messages: wanted, expires: giveUpAfterMS })) {
      messages.push(toStored(message))
      bytes += message.data.length
      if (messages.length === wanted || bytes > maxBytes) break
    }
    if (messages.length === 0) throw new Error(`the stream gave none of ${pending} messages`)
  }
  void consumer.delete().catch(() => false)
  return messages
}

/**
 * Passes every message of some subjects after a position to `handle`, in order, until it is stopped, the connection breaks or
 * the stream is lost. The caller then resumes from its own position.
 */
export async function followStream(
  bus: Bus,
  { stream, subjects, afterSeq }: Pick<PartOfStream, 'stream' | 'subjects' | 'afterSeq'>,
  handle: (message: StoredMessage) => void,
) {
  const consumer = await orderedFrom(bus, stream, subjects, afterSeq)
  const messages = await consumer.consume({ max_messages: 500, abort_on_missing_resource: true })
  // The client itself would look for its consumer with growing backoff.
  const forget = bus.onBack(() => messages.stop())
  const read = async () => {
    try {
      for await (const message of messages) handle(toStored(message))
    } finally {
      forget()
    }
  }
  return {
    /** Settles when reading ends: by `stop`, when the connection breaks, or when the stream is lost. */
    ended: read(),
    /** Whether the stream has no more messages of these subjects after `seq`. */
    async isAtEnd(seq: number) {
      const { num_pending: left, delivered } = await consumer.info()
      return left === 0 && delivered.stream_seq <= seq
    },
    stop() {
      messages.stop()
      void consumer.delete().catch(() => false)
    },
  }
}
export type Following = Awaited<ReturnType<typeof followStream>>

function orderedFrom(bus: Bus, stream: string, subjects: readonly string[], afterSeq: number) {
  return bus.stream.consumers.get(stream, {
    filter_subjects: [...subjects],
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: afterSeq + 1,
  })
}

function toStored(message: JsMsg): StoredMessage {
  const { headers, info } = message
  const takenAtMS = info.timestampNanos / 1_000_000
  return {
    stream: info.stream,
    seq: message.seq,
    takenAtMS,
    timeMS: Math.floor(readRepublished(headers)?.atMS ?? takenAtMS),
    id: headers?.get('Nats-Msg-Id') || `${message.seq}`,
    subject: message.subject,
    data: message.data,
    request: headers?.get(busHeaders.request) ?? '',
  }
}
