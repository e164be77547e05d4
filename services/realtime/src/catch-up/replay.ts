import { setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '@parley/bus/connect'
import { eventOrMalformed, type IncomingEvent } from '@parley/bus/events/incoming'
import {
  type AtMarks,
  exactSubjects,
  fitOneConsumer,
  isAtMarks,
  openReading,
  type Positions,
  type StreamsReading,
  type SubjectsOfStreams,
  takenAt,
  wholeSubjects,
} from '@parley/bus/stream/read-stream'
import { awaitStreams } from '@parley/bus/stream/stream-info'
import { markStream } from '@parley/bus/stream/stream-state'
import type { Audience } from '@parley/contracts/bus/partitions'
import type { Counter } from '@parley/service/metrics'
import type { AcceptQueue } from '@parley/socketio/accepting/accept-queue'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import { InOrder } from '../delivery/in-order.ts'
import type { LiveOrder, LiveOrderParts } from '../delivery/live-order.ts'
import { audienceOf, topicOf } from '../delivery/topics.ts'
import { createFrameBatches } from './frame-batches.ts'
import { concerns, earliestOf, isConnected, type ReadOutcome, type ReplayReader, startOf } from './replay-reader.ts'
import { createSentEvents, learnSeqs, type Read, resumePosition, type SentEvents } from './resume-position.ts'
import type { StreamClock } from './server-time.ts'
import { markAll, refuseTooOld, streamsByReader } from './streams-of-readers.ts'

export interface ReplayParts {
  bus: Bus
  nodeId: string
  clock: StreamClock
  acceptQueue: AcceptQueue
  delivered: Counter<'event'>
  /** Records the number of sockets that got an event. */
  recordReplay: (event: IncomingEvent, sockets: number) => void
  queue: Pick<DeliveryQueue, 'drain'>
  order: Pick<LiveOrder, 'learn'>
  fetch: LiveOrderParts['fetch']
  /** How long a message waits for an earlier one, by the stream's clock. */
  orderWaitMS: number
  /** Maximum number of events in one socket's replay. */
  maxEvents: number
  /** A socket with more unsent bytes gets nothing until it drains. */
  maxBufferedBytes: number
}

/** Maximum number of events in a shared read, which takes a second or two. */
const maxShared = 100_000
/** Reading yields to all other work after this. */
const sliceMS = 2
/** Pause before another mark, for messages that still wait for an earlier one. */
const nextMarkMS = 50

/**
 * Reads the streams once for several sockets with replay buffers, and sends each its missed events, in order, up to a mark in each
 * stream. The marks are first put at the ends of the streams: later events are in the replay buffers. Readers with too much to share
 * are split in halves. Returns one outcome per reader, in order.
 * @throws if the bus is unavailable or becomes so
 */
export async function replay(parts: ReplayParts, readers: readonly ReplayReader[]): Promise<ReadOutcome[]> {
  const outcomes = new Map<ReplayReader, ReadOutcome>()
  if (!parts.bus.streams.areAllThere) await awaitStreams(parts.bus)
  let concerned = streamsByReader(parts.bus, readers)
  for (;;) {
    // First, even if nothing can be read: after a purge the mark is the oldest message, which proves to later clients that they
    // have everything.
    const marks = await markAll(parts, concerned)
    // Checked after the marks: no other stream took over partitions before them.
    if (await refuseTooOld(parts, concerned, outcomes)) {
      const able = readers.filter((reader) => !outcomes.has(reader))
      await replayTo(parts, able, marks, outcomes)
      // The streams may have dropped events before they were read.
      await refuseTooOld(parts, concerned, outcomes)
      return readers.map((reader) => outcomes.get(reader) ?? { is: 'gone' })
    }
    await awaitStreams(parts.bus)
    outcomes.clear()
    concerned = streamsByReader(parts.bus, readers)
  }
}

async function replayTo(
  parts: ReplayParts,
  readers: readonly ReplayReader[],
  marks: Positions,
  outcomes: Map<ReplayReader, ReadOutcome>,
): Promise<void> {
  if (readers.length === 0) return
  const { bus, nodeId, acceptQueue } = parts
  const byTopic = new Map<string, ReplayReader[]>()
  for (const reader of readers) {
    await acceptQueue.turn()
    for (const { name } of reader.socket.topics ?? []) {
      const others = byTopic.get(name)
      if (others) others.push(reader)
      else byTopic.set(name, [reader])
    }
  }
  const { subjects, max } = whatToRead(parts, [...byTopic.keys()].map(audienceOf), readers)
  // A room that was joined meanwhile can be in a stream without a mark: its events come live.
  const marked = new Map([...subjects].filter(([stream]) => marks.has(stream)))
  const reading = await openReading(bus, marked, (stream) => startOf(readers, stream), nodeId)
  try {
    if (reading.pending <= max) {
      await deliver(parts, reading, { readers, byTopic, marks }, outcomes)
      return
    }
  } finally {
    await reading.close()
  }
  const [first, ...others] = readers
  if (first && others.length === 0) outcomes.set(first, { is: 'too much' })
  else {
    const half = Math.ceil(readers.length / 2)
    await replayTo(parts, readers.slice(0, half), marks, outcomes)
    await replayTo(parts, readers.slice(half), marks, outcomes)
  }
}

/** The subjects to read, and the most events that may be pending on them. */
function whatToRead(
  { bus, maxEvents }: ReplayParts,
  audiences: readonly Audience[],
  readers: readonly ReplayReader[],
): { subjects: SubjectsOfStreams; max: number } {
  const isForOne = readers.length === 1
  const sinceMS = earliestOf(readers)
  // Exact subjects count against the client's limit up front; wildcard matches count as they are read.
  const exact = isForOne || fitOneConsumer(audiences) ? exactSubjects(bus, audiences, sinceMS) : undefined
  return {
    subjects: exact ?? wholeSubjects(bus, audiences, sinceMS),
    max: isForOne && exact ? Math.min(maxEvents, maxShared) : maxShared,
  }
}

interface Group {
  readers: readonly ReplayReader[]
  byTopic: ReadonlyMap<string, readonly ReplayReader[]>
  marks: Positions
}

function recordDelivery(
  { delivered, recordReplay }: ReplayParts,
  sent: SentEvents,
  event: Read,
  receivers: number,
): void {
  sent.add(event)
  delivered.inc({ event: event.event }, receivers)
  recordReplay(event, receivers)
}

async function deliver(
  parts: ReplayParts,
  reading: StreamsReading,
  { readers, byTopic, marks }: Group,
  outcomes: Map<ReplayReader, ReadOutcome>,
): Promise<void> {
  const { bus, acceptQueue, queue, order, orderWaitMS } = parts
  const active = new Set(readers)
  const sent = createSentEvents()
  const sending = createFrameBatches(parts.maxBufferedBytes)
  const end = (reader: ReplayReader, outcome: ReadOutcome) => {
    active.delete(reader)
    outcomes.set(reader, outcome)
  }
  // The marks to read up to, and the next position, of each stream.
  const [upTo, next] = [new Map(marks), new Map(reading.from)]
  const inOrder = new InOrder<Read>({ waitMS: orderWaitMS, deliver: send, fetch: parts.fetch })
  learnSeqs(inOrder, byTopic)

  function send(event: Read): void {
    let receivers = 0
    sending.nextEvent()
    for (const reader of byTopic.get(topicOf(event.to)) ?? []) {
      if (!active.has(reader)) continue
      if (!isConnected(reader)) end(reader, { is: 'gone' })
      else if (concerns(event, event.at, reader)) {
        if (reader.events >= parts.maxEvents) end(reader, { is: 'too much' })
        else if (!sending.add(reader, event)) {
          end(reader, { is: 'congested', ...resumePosition(reader, event, inOrder, { next, sent }), ids: sent.ids })
        } else {
          reader.events++
          receivers++
        }
      }
    }
    if (receivers > 0) recordDelivery(parts, sent, event, receivers)
  }

  /** Moves live events that wait for events read here into the replay buffers, before those drop sent ones. */
  function stop(isAtMark = false): void {
    sending.flush()
    queue.drain()
    order.learn(inOrder.nextSeqs(), isAtMark)
  }

  /** Events before a mark also came live. Ends the readers that have all; the others continue to another mark. */
  async function endAtMark(atMS: number): Promise<void> {
    inOrder.expire(atMS)
    stop(true)
    const waiting = inOrder.waiting()
    const haveAll = [...active].filter((reader) => !waiting.some((event) => concerns(event, event.at, reader)))
    // Copied, because the remaining readers add to the set.
    const known = haveAll.length < active.size ? new Set(sent.ids) : sent.ids
    for (const reader of haveAll) end(reader, { is: 'at the mark', marks: new Map(upTo), atMS, ids: known })
    if (active.size === 0) return
    await pause(nextMarkMS)
    for (const stream of upTo.keys()) upTo.set(stream, await markStream(bus, stream, parts.nodeId))
  }

  await acceptQueue.turn()
  let sliceEndsMS = performance.now() + sliceMS
  for await (const message of reading.messages(upTo)) {
    if (isAtMarks(message)) await endAtMark(timeOf(message, upTo))
    if (active.size === 0) return
    if (isAtMarks(message)) continue
    const at = { stream: message.info.stream, seq: message.seq, takenAtMS: takenAt(message) }
    inOrder.expire(at.takenAtMS)
    next.set(at.stream, at.seq)
    const event = message.subject.startsWith('parley.event.') ? eventOrMalformed(bus, message) : undefined
    if (event && byTopic.has(topicOf(event.to)))
      inOrder.take(Object.assign(event, { at, sentBefore: sent.ids.size }), at.takenAtMS)
    next.set(at.stream, at.seq + 1)
    if (active.size === 0) return stop()
    if (performance.now() < sliceEndsMS) continue
    sending.flush()
    await acceptQueue.turn()
    sliceEndsMS = performance.now() + sliceMS
  }
}

function timeOf({ heads }: AtMarks, marks: Positions): number {
  return Math.min(...heads.filter(({ info }) => marks.has(info.stream)).map(takenAt))
}
