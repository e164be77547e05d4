import { setTimeout as pause } from 'node:timers/promises'
import { key } from '@parley/db/keys'
import { currentMessage, findMessages, type MessageDoc } from '@parley/db/messages'
import { findUnpublished, type OutboxDoc } from '@parley/db/outbox'
import { findRoomsByKey } from '@parley/db/rooms'
import { findUsers, type UserDoc } from '@parley/db/users'
import type { Chat } from './chat.ts'
import type { MessageEvent } from './outbox.ts'

const lookEveryMS = 1_000
/** Longer than a publish may take: what is older was given up by whoever wrote it, or he died. */
const givenUpAfterMS = 4_000
/** Longer than a transaction may take. */
const settledAfterMS = 30_000
const perRound = 500

interface Told {
  note: OutboxDoc
  events: MessageEvent[]
}

/**
 * Publishes, until the signal aborts, the events of messages that were written but that the bus never
 * acknowledged: the bus was away, or the process that wrote them was killed in between. Any number of
 * relays may run; what two publish, the stream keeps once.
 */
export async function relayUnpublished(chat: Chat, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (chat.bus.connected) await relayRound(chat, signal)
    } catch (error) {
      chat.log.warn({ err: error }, 'relay could not read the outbox; trying again')
    }
    await pause(lookEveryMS, undefined, { signal }).catch((error: Error) => {
      if (!signal.aborted) throw error
    })
  }
}

async function relayRound(chat: Chat, signal: AbortSignal): Promise<void> {
  let more = true
  while (more && !signal.aborted) {
    const notes = await findUnpublished(chat.db, Date.now() - givenUpAfterMS, perRound)
    if (notes.length === 0) return
    const told = (await eventsAsOfNow(chat, notes)).filter(isSettled)
    const done = await Promise.all(told.map(({ note, events }) => chat.outbox.publish(note._id, events)))
    const published = done.filter(Boolean).length
    chat.log.info({ waiting: notes.length, published }, 'relayed unpublished events')
    more = published === perRound
  }
}

/**
 * The events of each note, oldest first, with their messages as they are now: what was deleted meanwhile is not to be
 * told any more. Publishing begins in this order, and the bus takes them in it.
 */
async function eventsAsOfNow(chat: Chat, notes: readonly OutboxDoc[]): Promise<Told[]> {
  const { db } = chat
  const found = await findMessages(
    db,
    notes.flatMap(({ events }) => events.map(({ message }) => message)),
  )
  const rooms = await findRoomsByKey(db, [...new Set(found.map(({ roomKey }) => roomKey))])
  const roomByKey = new Map(rooms.map((room) => [room._id, room]))
  const messages = new Map(
    found.map((message) => [message._id, currentMessage(message, roomByKey.get(message.roomKey) ?? {})]),
  )
  const senders = await findSenders(chat, found)
  return notes.map((note) => ({
    note,
    events: note.events.flatMap(({ message: id, event }) => {
      const message = messages.get(id)
      return message ? [{ message, sender: senders.get(key(message.app, message.sender)), event }] : []
    }),
  }))
}

/** A note is there before its messages, of which some may have been refused: only later is it known which. */
function isSettled({ note, events }: Told): boolean {
  return events.length === note.events.length || note.atMS < Date.now() - settledAfterMS
}

/** The users who sent these messages, by key(app, user). */
async function findSenders(chat: Chat, messages: readonly MessageDoc[]): Promise<Map<string, UserDoc>> {
  const byApp = Map.groupBy(messages, ({ app }) => app)
  const found = await Promise.all(
    [...byApp].map(([app, own]) => findUsers(chat.db, app, [...new Set(own.map(({ sender }) => sender))])),
  )
  return new Map(found.flatMap((users) => [...users.values()].map((user) => [user._id, user] as const)))
}
