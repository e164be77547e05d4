import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { BusRefuses, type Republished } from '@parley/bus/events/publish'
import { learnStreams } from '@parley/bus/stream/stream-info'
import type { Audience } from '@parley/contracts/bus/partitions'
import type { MembersChange } from '@parley/contracts/bus/push-work'
import { pushAudience } from '@parley/contracts/bus/subjects'
import type { OutboxEntry, OutboxEvent, StreamStateDoc } from '@parley/db/events/documents'
import { findNextPublishedMS, findPublished } from '@parley/db/events/outbox-store'
import { endRebuilding, leaseRebuilding, recordRebuilt } from '@parley/db/events/stream-state'
import { findMessagesOfSecond, findNextMessageMS } from '@parley/db/messages/messages-of-second'
import { findUnflushedRooms } from '@parley/db/room-buffer/buffer'
import { flushRooms } from '@parley/db/room-buffer/flush'
import type { Chat } from '../chat.ts'
import type { Worker } from '../jobs/run-workers.ts'
import { type CurrentDocs, readCurrentDocs } from './current-docs.ts'
import { publishOutboxEvent } from './publish-events.ts'

const leaseMS = 15_000
const stepMS = 1_000
/** Longer than clock skew, and longer than it takes to record an acknowledged event as published. */
const skewMS = 5_000

/**
 * Republishes the events of lost streams (ARCHITECTURE.md, "Events"). Any number of processes may run this: one works
 * under a lease, and another takes over if it dies.
 */
export function rebuildLostStreams(chat: Chat): Worker {
  return {
    kinds: ['lostStream'],
    onError: (error) => chat.log.warn({ err: error }, 'events not published again yet; trying again'),
    work: async (signal) => {
      const state = chat.bus.connected ? await leaseRebuilding(chat.db, leaseMS) : null
      if (state) await rebuild(chat, state, signal)
    },
  }
}

async function rebuild(chat: Chat, state: StreamStateDoc, signal: AbortSignal): Promise<void> {
  const { rebuilding } = state
  if (!rebuilding) return
  const { sinceMS, untilMS, afterSeq } = rebuilding
  // A position between those of the lost stream and those of the new one.
  const positionOf = (atMS: number) => afterSeq + Math.max(0, atMS - sinceMS) + 1
  await learnStreams(chat.bus)
  // Includes events that another stream captures by now, since they may have been lost before they were handled.
  const wasThere = (to: Audience) => chat.bus.streams.streamsOf(to, sinceMS).includes(state._id)
  const flushed: Flushed = { upToMS: 0 }
  let events = 0
  for (let fromMS = await nextStep(chat, flushed, rebuilding.doneUpToMS); fromMS < untilMS + skewMS; ) {
    const toMS = fromMS + stepMS
    // By then, everything of this second is written and stored as published.
    await pause(Math.max(0, toMS + skewMS - clock.now()), undefined, { signal })
    await flushBefore(chat, flushed, toMS)
    events += await republish(chat, { fromMS, toMS }, { positionOf, isWanted: wasThere })
    if (!(await recordRebuilt(chat.db, state, toMS, clock.now() + leaseMS))) return
    fromMS = await nextStep(chat, flushed, toMS)
  }
  await endRebuilding(chat.db, state, sinceMS)
  chat.log.info({ stream: state._id, events, sinceMS }, 'lost stream rebuilt: its events are published again')
}

const floorToStep = (ms: number) => Math.floor(ms / stepMS) * stepMS

/** The next step from a time on. A period without events costs nothing, however long. */
async function nextStep(chat: Chat, flushed: Flushed, fromMS: number): Promise<number> {
  return floorToStep(await nextToRepublish(chat, flushed, floorToStep(fromMS), floorToStep(clock.now() - skewMS)))
}

/**
 * Republishes all events since a time, on an operator's request, second by second. After an interruption, continue at
 * the reported time or start over.
 * @param onProgress called with the time reached and the number of events so far
 * @returns the number of events
 */
export async function rebuildSince(
  chat: Chat,
  sinceMS: number,
  onProgress: (upToMS: number, events: number) => void,
): Promise<number> {
  const untilMS = clock.now()
  const flushed: Flushed = { upToMS: 0 }
  let events = 0
  for (let fromMS = await nextStep(chat, flushed, sinceMS); fromMS < untilMS; ) {
    const toMS = fromMS + stepMS
    await flushBefore(chat, flushed, toMS)
    events += await republish(chat, { fromMS, toMS }, { positionOf: () => undefined, isWanted: () => true })
    onProgress(toMS, events)
    fromMS = await nextStep(chat, flushed, toMS)
  }
  return events
}

/** Events per batch, published before the next batch is read. */
const atOnce = 200

/** Bounds the number of room buffers in memory. */
const roomsAtOnce = 20

interface TimeRange {
  fromMS: number
  toMS: number
}

interface Wanted {
  /** The position for an event of this time among older events. */
  positionOf: (atMS: number) => number | undefined
  isWanted: (to: Audience) => boolean
}

interface Past extends OutboxEntry {
  /** Sort key of the events. */
  atMS: number
}

/**
 * Republishes events of messages and changes of a period from MongoDB, in order and with their original IDs, so that
 * consumers skip those already handled. Safe to repeat.
 * @returns the number of events
 * @throws BusAway
 */
async function republish(chat: Chat, { fromMS, toMS }: TimeRange, { positionOf, isWanted }: Wanted): Promise<number> {
  const [messages, entries] = await Promise.all([
    findMessagesOfSecond(chat.db, fromMS, toMS),
    findPublished(chat.db, fromMS, toMS),
  ])
  const past: Past[] = [
    ...messages.map(({ _id, createdAtMS }) => ({ _id, atMS: createdAtMS, events: [newMessage(_id)] })),
    ...entries.map(({ _id, at, events }) => ({ _id, atMS: at.getTime(), events })),
  ].toSorted((one, other) => one.atMS - other.atMS)
  let count = 0
  for (let i = 0; i < past.length; i += atOnce) {
    // Fractions of a millisecond keep the order of simultaneous events.
    const position = (atMS: number, at: number) => positionOf(atMS + (i + at) / 1_000_000)
    count += await republishEach(chat, past.slice(i, i + atOnce), position, isWanted)
  }
  return count
}

/**
 * The time of the next event to republish, or `latestMS` if there is none before. Everything earlier has been written.
 */
async function nextToRepublish(chat: Chat, flushed: Flushed, fromMS: number, latestMS: number): Promise<number> {
  if (fromMS >= latestMS) return fromMS
  if (fromMS >= flushed.upToMS) await flushBefore(chat, flushed, latestMS)
  const untilMS = Math.min(latestMS, flushed.upToMS)
  const found = await Promise.all([findNextMessageMS(chat.db, fromMS), findNextPublishedMS(chat.db, fromMS)])
  return Math.max(fromMS, Math.min(untilMS, ...found.map((ms = untilMS) => ms)))
}

/** Every message before this time is in `messages`: flushing for each second would write busy rooms over and over. */
interface Flushed {
  upToMS: number
}

/** Flushes room buffers first, since messages are read from `messages`. */
async function flushBefore({ db }: Chat, flushed: Flushed, beforeMS: number): Promise<void> {
  if (beforeMS <= flushed.upToMS) return
  const rooms = await findUnflushedRooms(db, { beforeMS })
  for (const part of inParts(rooms, roomsAtOnce)) await flushRooms(db, part)
  flushed.upToMS = beforeMS
}

const newMessage = (message: string): OutboxEvent => ({ kind: 'message', message, event: 'chat message' })

async function republishEach(
  chat: Chat,
  past: readonly Past[],
  positionOf: (atMS: number, at: number) => number | undefined,
  isWanted: Wanted['isWanted'],
): Promise<number> {
  const now = await readCurrentDocs(chat.db, past)
  const wanted = (event: OutboxEvent) => {
    const to = audienceOf(event, now)
    return to !== undefined && isWanted(to)
  }
  // Sent in this order, and acknowledged together.
  const publishing = past.flatMap(({ atMS, events }, i) =>
    events.filter(wanted).map((event) => publishOnce(chat, event, now, { atMS, position: positionOf(atMS, i) })),
  )
  const outcomes = await Promise.allSettled(publishing)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return publishing.length
}

function audienceOf(event: OutboxEvent, now: CurrentDocs): Audience | undefined {
  switch (event.kind) {
    case 'message':
      return now.message(event.message)?.message
    case 'membersChange':
      return { app: event.app, room: (JSON.parse(event.json) as MembersChange).room }
    case 'push':
      return pushAudience(event.app)
    case 'command':
      return undefined
    default:
      return 'to' in event ? event.to : event
  }
}

async function publishOnce(chat: Chat, event: OutboxEvent, now: CurrentDocs, republished: Republished): Promise<void> {
  try {
    await publishOutboxEvent(chat, event, now, republished)
  } catch (error) {
    if (!(error instanceof BusRefuses)) throw error
    chat.log.error({ err: error, event: event.kind }, 'event dropped: too large for the bus')
  }
}
