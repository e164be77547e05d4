import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import { clock } from '@parley/async/clock'
import { busHeaders } from '@parley/contracts/bus/headers'
import type { Bus } from '../connect.ts'
import { readAgain } from '../events/publish.ts'
import { readInfo } from './stream-info.ts'

/** A message of a stream, with its place there. */
export interface StoredMessage {
  stream: string
  seq: number
  /** When the stream stored it. */
  takenAtMS: number
  /** The same; of an event that is published again, when it was noted. */
  timeMS: number
  id: string
  subject: string
  data: Uint8Array
  /** The request that caused it; empty where none is known. */
  request: string
}

/** The extent of a stream, over all apps. */
export interface StreamBounds {
  /** When NATS created it: its identity. */
  created: string
  /** Of one that took over partitions: the position in each earlier stream after its last event of these. */
  after: Readonly<Record<string, number>>
  /** Where the positions of a stream began that took over partitions; 0 of another. */
  grownFromSeq: number
  /** Of the oldest message; with none, the position of the next. */
  firstSeq: number
  /** When that came; with none, now. */
  firstAtMS: number
  lastSeq: number
}

/** @throws when the bus is away, or there is no such stream */
export async function streamBounds(bus: Bus, stream: string): Promise<StreamBounds> {
  const { created, config, state, after } = await readInfo(bus, stream)
  const firstAtMS = state.messages > 0 ? Date.parse(state.first_ts) : clock.now()
  // NATS leaves out a first position that is its own.
  const grownFromSeq = after ? config.first_seq || 1 : 0
  return { created, after: after ?? {}, grownFromSeq, firstSeq: state.first_seq, firstAtMS, lastSeq: state.last_seq }
}

export interface PartOfStream {
  stream: string
  subjects: readonly string[]
  afterSeq: number
  /** At most this many messages, and about this many bytes. */
  limit: number
  maxBytes: number
}

/** After this long without a message, the bus counts as away. */
const giveUpAfterMS = 10_000

/**
 * Reads the messages of some subjects after a position, in order, up to the limit.
 * @throws when the bus is away, or goes away meanwhile
 */
export async function readPart(
  bus: Bus,
  { stream, subjects, afterSeq, limit, maxBytes }: PartOfStream,
): Promise<StoredMessage[]> {
  const consumer = await orderedFrom(bus, stream, subjects, afterSeq)
  const { num_pending: there } = await consumer.info()
  const wanted = Math.min(there, limit)
  const messages: StoredMessage[] = []
  let bytes = 0
  if (wanted > 0) {
    for await (const message of await consumer.fetch({ max_messages: wanted, expires: giveUpAfterMS })) {
      messages.push(toStored(message))
      bytes += message.data.length
      if (messages.length === wanted || bytes > maxBytes) break
    }
    if (messages.length === 0) throw new Error(`the stream gave none of ${there} messages`)
  }
  void consumer.delete().catch(() => false)
  return messages
}

/** Reading a stream from a position on, live. */
export interface Following {
  /** Settles when it ends: by `stop`, when the connection was broken, or since the stream is lost. */
  ended: Promise<void>
  /** Whether the stream has no further message of these subjects, beyond those already handled up to `seq`. */
  isAtEnd(seq: number): Promise<boolean>
  stop(): void
}

/**
 * Hands on every message of some subjects after a position, in order, until it is stopped, the connection breaks or the
 * stream is lost: the caller goes on from where it stands.
 */
export async function followStream(
  bus: Bus,
  { stream, subjects, afterSeq }: Pick<PartOfStream, 'stream' | 'subjects' | 'afterSeq'>,
  handle: (message: StoredMessage) => void,
): Promise<Following> {
  const consumer = await orderedFrom(bus, stream, subjects, afterSeq)
  const messages = await consumer.consume({ max_messages: 500, abort_on_missing_resource: true })
  // The client would look for its consumer at growing intervals.
  const forget = bus.onBack(() => messages.stop())
  const read = async () => {
    try {
      for await (const message of messages) handle(toStored(message))
    } finally {
      forget()
    }
  }
  return {
    ended: read(),
    async isAtEnd(seq) {
      const { num_pending: left, delivered } = await consumer.info()
      return left === 0 && delivered.stream_seq <= seq
    },
    stop() {
      messages.stop()
      void consumer.delete().catch(() => false)
    },
  }
}

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
    timeMS: Math.floor(readAgain(headers)?.atMS ?? takenAtMS),
    id: headers?.get('Nats-Msg-Id') || `${message.seq}`,
    subject: message.subject,
    data: message.data,
    request: headers?.get(busHeaders.request) ?? '',
  }
}
