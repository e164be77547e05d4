import { setTimeout as pause } from 'node:timers/promises'
import { clock as ownClock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { type IncomingEvent, toIncomingEvent } from '@parley/bus/events/incoming'
import {
  exactSubjects,
  isReadTogether,
  openReading,
  type StreamReading,
  wholeSubjects,
} from '@parley/bus/stream/read-stream'
import { markStream, reachesBack, readStreamState } from '@parley/bus/stream/stream-state'
import { type Audience, markSubject } from '@parley/contracts/bus/subjects'
import type { Counter } from '@parley/service/metrics'
import type { AcceptQueue } from '@parley/socketio/accepting/accept-queue'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import { InOrder } from '../delivery/in-order.ts'
import type { LiveOrder, LiveOrderParts } from '../delivery/live-order.ts'
import { audienceOf, topicOf } from '../delivery/topics.ts'
import { concerns, isThere, type Position, type ReadOutcome, type ReplayReader, startOf } from './replay-reader.ts'
import { createSending } from './send-read.ts'
import type { StreamClock } from './server-time.ts'

export interface ReadTogetherParts {
  bus: Bus
  nodeId: string
  clock: StreamClock
  acceptQueue: AcceptQueue
  delivered: Counter<'event'>
  /** Records the number of sockets that got an event. */
  noteCaughtUp: (event: IncomingEvent, sockets: number) => void
  queue: Pick<DeliveryQueue, 'drain'>
  order: Pick<LiveOrder, 'learn'>
  fetch: LiveOrderParts['fetch']
  /** How long a message waits for an earlier one, by the stream's clock. */
  orderWaitMS: number
  /** Maximum number of events in one socket's replay. */
  mostEvents: number
  /** A socket with more unsent bytes gets nothing more for now. */
  mostBufferedBytes: number
}

/** Maximum number of events in a shared read, which takes a second or two. */
const mostShared = 100_000
/** Reading yields to all other work after this. */
const sliceMS = 2
/** Pause before another mark, for messages that still wait for an earlier one. */
const lookAgainMS = 50

/**
 * Reads the stream once for several sockets with replay buffers, and sends each its missed events, in order, up to a mark. The
 * mark is first put at the end of the stream: later events are in the replay buffers. Readers with too much to share are split
 * in halves. Returns one outcome per reader, in order.
 * @throws if the bus is away, or goes away meanwhile
 */
export async function readTogether(parts: ReadTogetherParts, readers: readonly ReplayReader[]): Promise<ReadOutcome[]> {
  const outcomes = new Map<ReplayReader, ReadOutcome>()
  // First, even if nothing can be read: after a purge the mark is the oldest message, which proves to later clients that they
  // have everything.
  const markSeq = await markStream(parts.bus, parts.nodeId)
  await refuseTooOld(parts, readers, outcomes)
  const able = readers.filter((reader) => !outcomes.has(reader))
  await readPart(parts, able, markSeq, outcomes)
  // The stream may have dropped events before they were read.
  await refuseTooOld(parts, readers, outcomes)
  return readers.map((reader) => outcomes.get(reader) ?? { is: 'gone' })
}

async function refuseTooOld(
  { bus, clock }: ReadTogetherParts,
  readers: readonly ReplayReader[],
  outcomes: Map<ReplayReader, ReadOutcome>,
): Promise<void> {
  const askedMS = ownClock.now()
  const state = await readStreamState(bus)
  clock.set(state.nowMS, askedMS)
  for (const reader of readers) if (!reachesBack(state, reader)) outcomes.set(reader, { is: 'too old' })
}

async function readPart(
  parts: ReadTogetherParts,
  readers: readonly ReplayReader[],
  markSeq: number,
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
  const { subjects, most } = whatToRead(parts, [...byTopic.keys()].map(audienceOf), readers.length === 1)
  const reading = await openReading(bus, subjects, startOf(readers), markSubject(nodeId))
  try {
    if (reading.pending <= most) {
      await deliver(parts, reading, { readers, byTopic, markSeq }, outcomes)
      return
    }
  } finally {
    await reading.close()
  }
  const [first, ...others] = readers
  if (first && others.length === 0) outcomes.set(first, { is: 'too much' })
  else {
    const half = Math.ceil(readers.length / 2)
    await readPart(parts, readers.slice(0, half), markSeq, outcomes)
    await readPart(parts, readers.slice(half), markSeq, outcomes)
  }
}

/** The subjects to read, and the most events that may be pending on them. */
function whatToRead(
  { mostEvents }: ReadTogetherParts,
  audiences: readonly Audience[],
  isForOne: boolean,
): { subjects: readonly string[]; most: number } {
  // Exact subjects count against the client's limit up front; wildcard matches count as they are read.
  const exact = isForOne || isReadTogether(audiences) ? exactSubjects(audiences) : undefined
  return {
    subjects: exact ?? wholeSubjects(audiences),
    most: isForOne && exact ? Math.min(mostEvents, mostShared) : mostShared,
  }
}

interface Group {
  readers: readonly ReplayReader[]
  byTopic: ReadonlyMap<string, readonly ReplayReader[]>
  markSeq: number
}

/** An event with its position in the stream. */
type Read = IncomingEvent & { at: Position }

async function deliver(
  parts: ReadTogetherParts,
  reading: StreamReading,
  { readers, byTopic, markSeq }: Group,
  outcomes: Map<ReplayReader, ReadOutcome>,
): Promise<void> {
  const { bus, acceptQueue, queue, order, orderWaitMS } = parts
  const active = new Set(readers)
  const ids = new Set<string>()
  const sending = createSending(parts.mostBufferedBytes)
  const end = (reader: ReplayReader, outcome: ReadOutcome) => {
    active.delete(reader)
    outcomes.set(reader, outcome)
  }
  let mark = markSeq
  const inOrder = new InOrder<Read>({ waitMS: orderWaitMS, deliver: send, fetch: parts.fetch })

  function send(event: Read): void {
    let receivers = 0
    sending.nextEvent()
    for (const reader of byTopic.get(topicOf(event.to)) ?? []) {
      if (!active.has(reader)) continue
      if (!isThere(reader)) end(reader, { is: 'gone' })
      else if (concerns(event, event.at, reader)) {
        if (reader.events >= parts.mostEvents) end(reader, { is: 'too much' })
        else if (!sending.add(reader, event)) {
          const { seq, takenAtMS } = firstOf([event, ...inOrder.waiting()])
          end(reader, { is: 'congested', seq, atMS: takenAtMS, ids })
        } else {
          reader.events++
          receivers++
        }
      }
    }
    if (receivers === 0) return
    if (event.id !== undefined) ids.add(event.id)
    parts.delivered.inc({ event: event.event }, receivers)
    parts.noteCaughtUp(event, receivers)
  }

  /** Moves live events that wait for events read here into the replay buffers, before those drop sent ones. */
  function stop(isAtMark = false): void {
    sending.flush()
    queue.drain()
    order.learn(inOrder.known(), isAtMark)
  }

  /** Events before a mark also came live. Ends the readers that have all; the others continue to another mark. */
  async function endAtMark(atMS: number): Promise<void> {
    stop(true)
    const waiting = inOrder.waiting()
    const haveAll = [...active].filter((reader) => !waiting.some((event) => concerns(event, event.at, reader)))
    // Copied, because the remaining readers add to the set.
    const known = haveAll.length < active.size ? new Set(ids) : ids
    for (const reader of haveAll) end(reader, { is: 'at the mark', markSeq: mark, atMS, ids: known })
    if (active.size === 0) return
    await pause(lookAgainMS)
    mark = await markStream(bus, parts.nodeId)
  }

  await acceptQueue.turn()
  let sliceEndsMS = performance.now() + sliceMS
  for await (const message of reading.messages()) {
    const at = { seq: message.info.streamSequence, takenAtMS: Math.floor(message.info.timestampNanos / 1_000_000) }
    inOrder.expire(at.takenAtMS)
    if (at.seq >= mark) await endAtMark(at.takenAtMS)
    if (active.size === 0) return stop()
    const event = readEvent(bus, message)
    if (event && byTopic.has(topicOf(event.to))) inOrder.take(Object.assign(event, { at }), at.takenAtMS)
    if (active.size === 0) return stop()
    if (performance.now() < sliceEndsMS) continue
    sending.flush()
    await acceptQueue.turn()
    sliceEndsMS = performance.now() + sliceMS
  }
}

/** The earliest of these events in the stream. */
function firstOf(events: readonly Read[]): Position {
  return events.map(({ at }) => at).reduce((first, at) => (at.seq < first.seq ? at : first))
}

/** Undefined for a mark and for an unreadable event. */
function readEvent(bus: Bus, message: Parameters<typeof toIncomingEvent>[0]): IncomingEvent | undefined {
  if (!message.subject.startsWith('parley.event.')) return undefined
  try {
    return toIncomingEvent(message)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}
