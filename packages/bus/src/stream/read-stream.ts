import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, jetstreamManager, ReplayPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { inParts } from '@parley/async/in-parts'
import { type Audience, capturedEventsSubject, capturedSubject, markSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { positionAt } from './find-stored.ts'

export type Positions = ReadonlyMap<string, number>

/** All readings have reached their marks. Holds the message at each mark. */
export type AtMarks = AllHeld<JsMsg>

export const takenAt = ({ info }: JsMsg) => Math.floor(info.timestampNanos / 1_000_000)

export const isAtMarks = (read: JsMsg | AtMarks): read is AtMarks => read instanceof AllHeld

const silenceMS = 10_000
/** Messages fetched ahead, which bounds the memory of a reading. */
const ahead = 256

/** Subjects per consumer. NATS compares them pairwise on creation, so larger sets use several consumers. */
const subjectsOfConsumer = 256
const subjectsPerReading = 40 * subjectsOfConsumer

/** Subjects to read by stream name, without overlap. */
export type SubjectsOfStreams = ReadonlyMap<string, readonly string[]>

/** Subjects of exactly these rooms and users since a time; undefined if they are too many for one reading. */
export function exactSubjects(
  bus: Bus,
  audiences: readonly Audience[],
  sinceMS: number,
): SubjectsOfStreams | undefined {
  if (audiences.length > subjectsPerReading) return undefined
  return inStreams(bus, audiences, sinceMS, (those) => those.map(capturedSubject))
}

/** Subjects of all events in the apps of these rooms and users, in the streams that hold them. */
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

export function fitOneConsumer(audiences: readonly Audience[]): boolean {
  return audiences.length <= subjectsOfConsumer
}

/** Start of a reading: a position, or a time by the stream's clock (Unix milliseconds). */
export type Beginning = { fromSeq: number } | { sinceMS: number }

/**
 * Reads streams once, for this process alone, merged in order of time.
 * @param upTo node whose marks are read too
 * @throws if the bus is away
 */
export async function openReading(
  bus: Bus,
  subjects: SubjectsOfStreams,
  from: (stream: string) => Beginning,
  upTo?: string,
) {
  const readings = await allOrNone(
    [...subjects].map(async ([stream, those]) => openStream(bus, stream, those, from(stream), upTo)),
  )
  const max = Math.max(16, Math.floor(ahead / readings.length))
  return {
    /** Number of messages that can be read now. */
    pending: readings.reduce((sum, { pending }) => sum + pending, 0),
    /** First position by stream. */
    from: new Map(readings.map(({ stream, fromSeq }) => [stream, fromSeq])),
    /**
     * Yields the messages in order, including new ones, until its reader stops.
     * @param marks a position per stream, which the caller may advance; yields AtMarks once all are reached
     * @throws if the bus goes away or is silent for ten seconds, or a message is lost on the way
     */
    messages: (marks: Positions) =>
      mergeMessages(
        readings.map(({ consumer }) => read(consumer, max)),
        { isBefore, isHeld: ({ seq, info }) => seq >= (marks.get(info.stream) ?? 0) },
      ),
    /** Yields the messages that existed when the reading was opened. */
    async *pendingMessages() {
      const parts = readings.map(({ consumer, pending }) => firstOf(read(consumer, max), pending))
      for await (const message of mergeMessages(parts, { isBefore })) if (!isAtMarks(message)) yield message
    },
    /** Deletes the reading's consumers. Never fails. */
    close: () => closeAll(readings),
  }
}
export type StreamsReading = Awaited<ReturnType<typeof openReading>>

/** By position within a stream, by time across streams. */
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
  return allOrNone(parts.map((part) => openPart(bus, stream, [...part, ...mark], fromSeq)))
}

/** If one fails to open, closes the others. */
async function allOrNone(opening: readonly Promise<PartOfReading | PartOfReading[]>[]): Promise<PartOfReading[]> {
  const opened = await Promise.allSettled(opening)
  const parts = opened.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const failed = opened.find((each) => each.status === 'rejected')
  if (!failed) return parts
  await closeAll(parts)
  throw failed.reason
}

async function closeAll(parts: readonly PartOfReading[]): Promise<void> {
  await Promise.all(parts.map(({ consumer }) => consumer.delete().catch(() => undefined)))
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
    // Removes the consumer after a process dies.
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

async function* read(consumer: Consumer, max: number): AsyncGenerator<JsMsg, void, undefined> {
  const messages = await consumer.consume({ max_messages: max })
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
      // The silence timeout counts from when the reader is ready for more.
      silence.refresh()
      isWaiting = true
    }
    throw new Error('the stream fell silent')
  } finally {
    clearInterval(silence)
    messages.stop()
  }
}

/** The next message of every part is held. */
class AllHeld<M> {
  readonly heads: readonly M[]
  constructor(heads: readonly M[]) {
    this.heads = heads
  }
}

interface MergeOrder<M> {
  isBefore: (one: M, other: M) => boolean
  /** A held message waits, while messages of other parts pass it. */
  isHeld?: (message: M) => boolean
}

/**
 * Merges several ordered sequences. Ends when all have ended. A part that waits for its next message blocks the others,
 * since that message may come first. When the next message of every part is held, yields AllHeld; continue once a
 * message is released.
 */
async function* mergeMessages<M>(
  parts: readonly AsyncGenerator<M, void, undefined>[],
  { isBefore, isHeld = () => false }: MergeOrder<M>,
): AsyncGenerator<M | AllHeld<M>, void, undefined> {
  const [only] = parts
  if (only && parts.length === 1) return yield* heldBack(only, isHeld)
  const heads = new Map<AsyncGenerator<M, void, undefined>, M>()
  async function advance(part: AsyncGenerator<M, void, undefined>): Promise<void> {
    const { value, done } = await part.next()
    if (done) heads.delete(part)
    else heads.set(part, value)
  }
  try {
    await Promise.all(parts.map(advance))
    while (heads.size > 0) {
      const [first, ...others] = [...heads].filter(([, head]) => !isHeld(head))
      if (!first) {
        yield new AllHeld([...heads.values()])
        continue
      }
      const [part, message] = others.reduce((one, other) => (isBefore(other[1], one[1]) ? other : one), first)
      yield message
      await advance(part)
    }
  } finally {
    // A part that is still waiting ends by its own timeout.
    void Promise.allSettled(parts.map((part) => part.return()))
  }
}

async function* heldBack<M>(
  only: AsyncGenerator<M, void, undefined>,
  isHeld: (message: M) => boolean,
): AsyncGenerator<M | AllHeld<M>, void, undefined> {
  for await (const message of only) {
    while (isHeld(message)) yield new AllHeld([message])
    yield message
  }
}
