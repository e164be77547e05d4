import { setTimeout as pause } from 'node:timers/promises'
import { currentMessage, findUnpublished, type MessageDoc } from '@parley/db/messages'
import { findRoomsByKey } from '@parley/db/rooms'
import { findUsers } from '@parley/db/users'
import type { Chat } from './chat.ts'

const lookEveryMS = 1_000
/** Longer than a publish may take: what is older was given up by whoever wrote it, or he died. */
const givenUpAfterMS = 4_000
const perRound = 500

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
    const found = await findUnpublished(chat.db, Date.now() - givenUpAfterMS, perRound)
    if (found.length === 0) return
    const waiting = await asTheyAreNow(chat, found)
    const published = await publishInOrder(chat, waiting)
    chat.log.info({ waiting: waiting.length, published }, 'relayed unpublished events')
    more = published === waiting.length && waiting.length === perRound
  }
}

/** What was deleted with all of its room meanwhile is not to be told any more. */
async function asTheyAreNow(chat: Chat, messages: readonly MessageDoc[]): Promise<MessageDoc[]> {
  const keys = new Set(messages.map((message) => message.roomKey))
  const rooms = new Map((await findRoomsByKey(chat.db, [...keys])).map((room) => [room._id, room]))
  return messages.map((message) => currentMessage(message, rooms.get(message.roomKey) ?? {}))
}

/** Hands the events to the bus oldest first; the bus takes them in that order. */
async function publishInOrder(chat: Chat, waiting: readonly MessageDoc[]): Promise<number> {
  const byApp = Map.groupBy(waiting, (message) => message.app)
  const senders = new Map(
    await Promise.all(
      [...byApp].map(
        async ([app, own]) =>
          [
            app,
            await findUsers(
              chat.db,
              app,
              own.map((message) => message.sender),
            ),
          ] as const,
      ),
    ),
  )
  const done = await Promise.all(
    waiting.map(async (message) => {
      const sender = senders.get(message.app)?.get(message.sender)
      const results = await Promise.all(
        (message.unpublished ?? []).map((event) => chat.outbox.publish(message, sender, event)),
      )
      return results.every(Boolean)
    }),
  )
  return done.filter(Boolean).length
}
