import { inParts } from '@parley/async/in-parts'
import type { Again } from '@parley/bus/events/publish'
import { BusRefuses } from '@parley/bus/events/publish'
import type { NotedEvent, PendingEventsDoc } from '@parley/db/events/pending-events'
import { findNextPublishedMS, findPublished } from '@parley/db/events/published-events'
import { findMessagesOfSecond, findNextMessageMS } from '@parley/db/messages/messages-of-second'
import { findUnflushedRooms } from '@parley/db/room-buffer/buffer'
import { flushRooms } from '@parley/db/room-buffer/flush'
import type { Chat } from '../chat.ts'
import { readAsOfNow } from './as-of-now.ts'
import { publishNoted } from './publish-noted.ts'

/** Events that are read together, and published before the next ones are read. */
const atOnce = 200

/** Their buffers are in memory together. */
const roomsAtOnce = 20

/** A stretch of time, in Unix milliseconds; the end does not belong to it. */
export interface Stretch {
  fromMS: number
  toMS: number
}

interface Past extends PendingEventsDoc {
  /** Where the events stand in order. */
  atMS: number
}

/**
 * Publishes the events of messages and changes of a stretch of time again, from MongoDB, with the IDs that they had: what
 * was handled already is recognised by its ID. In the order in which they happened. May be done twice.
 * @param placeOf the place of an event of a time among those of before
 * @returns how many events
 * @throws BusAway
 */
export async function republish(
  chat: Chat,
  { fromMS, toMS }: Stretch,
  placeOf: (atMS: number) => number | undefined,
): Promise<number> {
  await settleBefore(chat, toMS)
  const [messages, notes] = await Promise.all([
    findMessagesOfSecond(chat.db, fromMS, toMS),
    findPublished(chat.db, fromMS, toMS),
  ])
  const past: Past[] = [
    ...messages.map(({ _id, createdAtMS }) => ({ _id, atMS: createdAtMS, events: [newMessage(_id)] })),
    ...notes.map(({ _id, at, events }) => ({ _id, atMS: at.getTime(), events })),
  ].toSorted((one, other) => one.atMS - other.atMS)
  let count = 0
  for (let i = 0; i < past.length; i += atOnce) {
    // Those of one time keep their order by a part of a millisecond.
    const place = (atMS: number, at: number) => placeOf(atMS + (i + at) / 1_000_000)
    count += await publishAgain(chat, past.slice(i, i + atOnce), place)
  }
  return count
}

/**
 * When, at a time or later, something happened that can be published again: to the second, and not later than `latestMS`,
 * before which everything is written.
 */
export async function nextToRepublish(chat: Chat, fromMS: number, latestMS: number): Promise<number> {
  if (fromMS >= latestMS) return fromMS
  await settleBefore(chat, latestMS)
  const found = await Promise.all([findNextMessageMS(chat.db, fromMS), findNextPublishedMS(chat.db, fromMS)])
  return Math.max(fromMS, Math.min(latestMS, ...found.map((ms = latestMS) => ms)))
}

/** New messages are found when they are settled. */
async function settleBefore({ db }: Chat, beforeMS: number): Promise<void> {
  const rooms = await findUnflushedRooms(db, { beforeMS })
  for (const part of inParts(rooms, roomsAtOnce)) await flushRooms(db, part)
}

const newMessage = (message: string): NotedEvent => ({ kind: 'message', message, event: 'chat message' })

async function publishAgain(
  chat: Chat,
  past: readonly Past[],
  placeOf: (atMS: number, at: number) => number | undefined,
): Promise<number> {
  const now = await readAsOfNow(chat.db, past)
  // Handed to the connection in this order, and acknowledged together.
  const publishing = past.flatMap(({ atMS, events }, i) =>
    events.map((event) => publishOnce(chat, event, now, { atMS, place: placeOf(atMS, i) })),
  )
  const outcomes = await Promise.allSettled(publishing)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return publishing.length
}

async function publishOnce(
  chat: Chat,
  event: NotedEvent,
  now: Awaited<ReturnType<typeof readAsOfNow>>,
  again: Again,
): Promise<void> {
  if (event.kind === 'order') return
  try {
    await publishNoted(chat, event, now, again)
  } catch (error) {
    if (!(error instanceof BusRefuses)) throw error
    chat.log.error({ err: error, event: event.kind }, 'event dropped: too large for the bus')
  }
}
