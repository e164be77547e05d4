import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg, jetstreamManager, ReplayPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { inParts } from '@parley/async/in-parts'
import { eventStream } from '@parley/contracts/bus/streams'
import { type Audience, capturedEventsSubject, capturedSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { mergeMessages } from './merge-messages.ts'
import { positionAt } from './position-at.ts'

export interface StreamReading {
  /** How many messages there are to read now. */
  pending: number
  /**
   * The messages in order, also those that come meanwhile; it ends only when its reader stops.
   * @throws when the bus goes away, or is silent for ten seconds, or a message is lost on the way
   */
  messages(): AsyncGenerator<JsMsg, void, undefined>
  /** The same, of the messages that were there to read when the reading was opened. */
  pendingMessages(): AsyncGenerator<JsMsg, void, undefined>
  /** Lets NATS forget the reading. Never fails. */
  close(): Promise<void>
}

const silenceMS = 10_000
/** Fetched ahead: the memory that a reading may take. */
const ahead = 256

/** Of one consumer: NATS compares each with each when it is made. More are read by several consumers. */
const subjectsOfConsumer = 256
/** Of a reading. */
const mostSubjects = 40 * subjectsOfConsumer

/** Exactly the events of these rooms and users; undefined when they are too many for one reading. */
export function exactSubjects(audiences: readonly Audience[]): string[] | undefined {
  return audiences.length <= mostSubjects ? audiences.map(capturedSubject) : undefined
}

/** All events of the apps of these rooms and users. */
export function wholeSubjects(audiences: readonly Audience[]): string[] {
  const apps = [...new Set(audiences.map(({ app }) => app))]
  return apps.length <= subjectsOfConsumer ? apps.map(capturedEventsSubject) : ['parley.event.>']
}

/** Whether one consumer reads exactly these. */
export function isReadTogether(audiences: readonly Audience[]): boolean {
  return audiences.length <= subjectsOfConsumer
}

/**
 * Reads the stream once, for this process alone.
 * @param subjects without overlap
 * @param from a position of the stream, or a time by its clock (Unix milliseconds), which is resolved to a position
 *   first
 * @param upTo the subject of a mark, which is read with them
 * @throws when the bus is away
 */
export async function openReading(
  bus: Bus,
  subjects: readonly string[],
  from: { fromSeq: number } | { sinceMS: number },
  upTo?: string,
): Promise<StreamReading> {
  const fromSeq = 'fromSeq' in from ? from.fromSeq : await positionAt(bus, from.sinceMS)
  const parts = inParts(subjects, subjectsOfConsumer)
  const opened = await Promise.allSettled(
    parts.map((part) => openPart(bus, upTo === undefined ? part : [...part, upTo], fromSeq)),
  )
  const readings = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
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
    messages: () => mergeMessages(readings.map(({ consumer }) => read(consumer, most))),
    pendingMessages: () =>
      mergeMessages(readings.map(({ consumer, pending }) => firstOf(read(consumer, most), pending))),
    close,
  }
}

async function openPart(
  bus: Bus,
  subjects: readonly string[],
  fromSeq: number,
): Promise<{ consumer: Consumer; pending: number }> {
  const manager = await jetstreamManager(bus.nats, { checkAPI: false })
  const info = await manager.consumers.add(eventStream.name, {
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
  return { consumer: bus.stream.consumers.getConsumerFromInfo(info), pending: info.num_pending }
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
