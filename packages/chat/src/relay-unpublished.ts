import { setTimeout as pause } from 'node:timers/promises'
import { findUnpublished } from '@parley/db/messages'
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
    const waiting = await findUnpublished(chat.db, Date.now() - givenUpAfterMS, perRound)
    if (waiting.length === 0) return
    const published = await publishInOrder(chat, waiting)
    chat.log.info({ waiting: waiting.length, published }, 'relayed unpublished events')
    more = published === waiting.length && waiting.length === perRound
  }
}

/** Hands the events to the bus oldest first; the bus takes them in that order. */
async function publishInOrder(chat: Chat, waiting: Awaited<ReturnType<typeof findUnpublished>>): Promise<number> {
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
