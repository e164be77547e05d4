import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, jetstreamManager, ReplayPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { inParts } from '@parley/async/in-parts'
import { type Audience, capturedEventsSubject, capturedSubject, markSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { AllHeld, mergeMessages } from './merge-messages.ts'
import { positionAt } from './position-at.ts'

/** By the name of a stream: a position there. */
export type Positions = ReadonlyMap<string, number>

/** All readings have reached their marks: the message of each that is there. */
export type AtMarks = AllHeld<JsMsg>

export interface StreamsReading {
  /** How many messages there are to read now. */
  pending: number
  /** Where it begins. */
  from: Positions
  /**
   * The messages in order, also those that come meanwhile; it ends only when its reader stops.
   * @param marks of every stream that is read, which may be moved on: as soon as all are reached, it yields that
   * @throws when the bus goes away, or is silent for ten seconds, or a message is lost on the way
   */
  messages(marks: Positions): AsyncGenerator<JsMsg | AtMarks, void, undefined>
  /** The messages that were there to read when the reading was opened. */
  pendingMessages(): AsyncGenerator<JsMsg, void, undefined>
  /** Lets NATS forget the reading. Never fails. */
  close(): Promise<void>
}

/** When the stream took a message, in Unix milliseconds. */
export const takenAt = ({ info }: JsMsg) => Math.floor(info.timestampNanos / 1_000_000)

export const isAtMarks = (read: JsMsg | AtMarks): read is AtMarks => read instanceof AllHeld

const silenceMS = 10_000
/** Fetched ahead: the memory that a reading may take. */
const ahead = 256

/** Of one consumer: NATS compares each with each when it is made. More are read by several consumers. */
const subjectsOfConsumer = 256
/** Of a reading. */
const mostSubjects = 40 * subjectsOfConsumer

/** Subjects to read, without overlap, by the name of a stream. */
export type SubjectsOfStreams = ReadonlyMap<string, readonly string[]>

/** Exactly the events of these rooms and users since a time; undefined when they are too many for one reading. */
export function exactSubjects(
  bus: Bus,
  audiences: readonly Audience[],
  sinceMS: number,
): SubjectsOfStreams | undefined {
  if (audiences.length > mostSubjects) return undefined
  return inStreams(bus, audiences, sinceMS, (those) => those.map(capturedSubject))
}

/** All events of the apps of these rooms and users, in the streams with theirs. */
export function wholeSubjects(bus: Bus, audiences: readonly Audience[], sinceMS: number): SubjectsOfStreams {
  return inStreams(bus, audiences, sinceMS, (those) => {
    const apps = [...new Set(those.map(({ app }) => app))]
    return apps.length <= subjectsOfConsumer ? apps.map(capturedEventsSubject) : ['parley.event.>']
  })
}

function inStreams(
  bus: Bus,
  audiences: readonly Audience[],
  sinceMS: number,
  subjectsOf: (audiences: readonly Audience[]) => string[],
): SubjectsOfStreams {
  const { names } = bus.streams
  const [only] = names
  if (only !== undefined && names.length === 1) return new Map([[only, subjectsOf(audiences)]])
  const byStream = new Map<string, Audience[]>()
  for (const to of audiences) {
    for (const stream of bus.streams.streamsOf(to, sinceMS)) {
      const others = byStream.get(stream)
      if (others) others.push(to)
      else byStream.set(stream, [to])
    }
  }
  return new Map([...byStream].map(([stream, those]) => [stream, subjectsOf(those)]))
}

/** Whether one consumer reads exactly these. */
export function isReadTogether(audiences: readonly Audience[]): boolean {
  return audiences.length <= subjectsOfConsumer
}

/** Where a reading begins in a stream: at a position, or at a time by its clock (Unix milliseconds). */
export type Beginning = { fromSeq: number } | { sinceMS: number }

/**
 * Reads streams once, for this process alone, as one in the order of time.
 * @param upTo the node whose marks are read with them
 * @throws when the bus is away
 */
export async function openReading(
  bus: Bus,
  subjects: SubjectsOfStreams,
  from: (stream: string) => Beginning,
  upTo?: string,
): Promise<StreamsReading> {
  const opened = await Promise.allSettled(
    [...subjects].map(async ([stream, those]) => openStream(bus, stream, those, from(stream), upTo)),
  )
  const readings = opened.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const close = async () => {
    await Promise.all(readings.map(({ consumer }) => consumer.delete().catch(() => undefined)))
  }
  const failed = opened.find((each) => each.status === 'rejected')
  if (failed) {
    await close()
    throw failed.reason
  }
  const most = Math.max(16, Math.floor(ahead / readings.length))
  return {
    pending: readings.reduce((sum, { pending }) => sum + pending, 0),
    from: new Map(readings.map(({ stream, fromSeq }) => [stream, fromSeq])),
    messages: (marks) =>
      mergeMessages(
        readings.map(({ consumer }) => read(consumer, most)),
        { isBefore, isHeld: ({ seq, info }) => seq >= (marks.get(info.stream) ?? 0) },
      ),
    async *pendingMessages() {
      const parts = readings.map(({ consumer, pending }) => firstOf(read(consumer, most), pending))
      for await (const message of mergeMessages(parts, { isBefore })) if (!isAtMarks(message)) yield message
    },
    close,
  }
}

/** In one stream by position, otherwise by time. */
function isBefore(one: JsMsg, other: JsMsg): boolean {
  if (one.info.stream === other.info.stream) return one.seq < other.seq
  return one.info.timestampNanos < other.info.timestampNanos
}

interface PartOfReading {
  stream: string
  fromSeq: number
  consumer: Consumer
  pending: number
}

async function openStream(
  bus: Bus,
  stream: string,
  subjects: readonly string[],
  from: Beginning,
  upTo: string | undefined,
): Promise<PartOfReading[]> {
  const fromSeq = 'fromSeq' in from ? from.fromSeq : await positionAt(bus, stream, from.sinceMS)
  const mark = upTo === undefined ? [] : [markSubject(stream, upTo)]
  const parts = inParts(subjects, subjectsOfConsumer)
  const opened = await Promise.allSettled(parts.map((part) => openPart(bus, stream, [...part, ...mark], fromSeq)))
  const readings = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = opened.find((each) => each.status === 'rejected')
  if (!failed) return readings
  await Promise.all(readings.map(({ consumer }) => consumer.delete().catch(() => undefined)))
  throw failed.reason
}

async function openPart(
  bus: Bus,
  stream: string,
  subjects: readonly string[],
  fromSeq: number,
): Promise<PartOfReading> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  const info = await manager.consumers.add(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: fromSeq,
    filter_subjects: [...subjects],
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    // For a process that dies.
    inactive_threshold: nanos(3 * silenceMS),
    mem_storage: true,
    num_replicas: 1,
  })
  return { stream, fromSeq, consumer: bus.stream.consumers.getConsumerFromInfo(info), pending: info.num_pending }
}

async function* firstOf<T>(items: AsyncGenerator<T>, count: number): AsyncGenerator<T, void, undefined> {
  let left = count
  if (left === 0) return
  for await (const item of items) {
    yield item
    if (--left === 0) return
  }
}

async function* read(consumer: Consumer, most: number): AsyncGenerator<JsMsg, void, undefined> {
  const messages = await consumer.consume({ max_messages: most })
  let isWaiting = true
  const silence = setInterval(() => {
    if (isWaiting) messages.stop()
  }, silenceMS)
  let last = 0
  try {
    for await (const message of messages) {
      isWaiting = false
      // Nothing is acknowledged, so messages lost with a connection would not be redelivered.
      if (message.info.deliverySequence !== last + 1) throw new Error('the stream skipped a message')
      last++
      yield message
      // The silence counts from here on.
      silence.refresh()
      isWaiting = true
    }
    throw new Error('the stream fell silent')
  } finally {
    clearInterval(silence)
    messages.stop()
  }
}
