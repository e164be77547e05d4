import { clock } from '@parley/async/clock'
import { runEvery } from '@parley/async/run-every'
import { findUnpublished } from '@parley/db/events/pending-events'
import { flushAbandoned } from '@parley/db/room-buffer/flush'
import type { Chat } from '../chat.ts'
import { readAsOfNow } from './as-of-now.ts'

const lookEveryMS = 1_000
/** Longer than a publish may take: the writer of an older note has failed to publish it, or died. */
const givenUpAfterMS = 4_000
const perRound = 500
const roomsPerRound = 100

/**
 * Publishes noted events that the bus never acknowledged, until the signal aborts: the bus was away, or the process
 * that noted them was killed. Any number of relays may run: the stream and the nodes drop repeated events.
 */
export async function relayUnpublished(chat: Chat, signal: AbortSignal): Promise<void> {
  const relay = async () => {
    if (chat.bus.connected) await relayRound(chat, signal)
  }
  const onError = (error: Error) => chat.log.warn({ err: error }, 'outbox not read by the relay; trying again')
  await runEvery(lookEveryMS, relay, { onError, signal })
}

async function relayRound(chat: Chat, signal: AbortSignal): Promise<void> {
  let more = true
  while (more && !signal.aborted) {
    const beforeMS = clock.now() - givenUpAfterMS
    await flushAbandoned(chat.db, beforeMS, roomsPerRound).catch((error: unknown) => {
      // Events that are noted already need not wait for it.
      chat.log.warn({ err: error }, 'abandoned messages not flushed; trying again')
    })
    const notes = await findUnpublished(chat.db, beforeMS, perRound)
    if (notes.length === 0) return
    // Lanes first, so that messages sent after a deletion of all come after its event.
    const lanes = [...new Set(notes.flatMap(({ lane }) => lane ?? []))]
    const areLanesPublished = await chat.outbox.publishLanes(lanes, signal)
    const messages = notes.filter(({ lane }) => lane === undefined)
    const now = await readAsOfNow(chat.db, messages)
    const published = await Promise.all(messages.map((note) => chat.outbox.publishNote(note, now)))
    const areAllPublished = areLanesPublished && published.every(Boolean)
    chat.log.info({ waiting: notes.length, areAllPublished }, 'relayed unpublished events')
    more = notes.length === perRound && areAllPublished
  }
}
