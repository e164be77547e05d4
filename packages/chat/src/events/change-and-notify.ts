import type { NotedEvent } from '@parley/db/events/pending-events'
import { inTransaction, type Session } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { nothingKnown } from './as-of-now.ts'
import type { Noted } from './outbox.ts'

/** The events of a change, in order. */
export type PendingEvents = NotedEvent[]

type Work<T> = (session: Session, pending: PendingEvents) => Promise<T>

/** A committed change, and the notes of its events. */
export interface Committed<T> {
  value: T
  noted: Noted
}

/**
 * Makes a change in one transaction, which also notes its events, and publishes them after the commit. When this
 * settles the bus has them, or the relay will publish them: none is lost, whichever process dies in between.
 *
 * @param lane what the change concerns: see lanes.ts
 * @param turn as of changeAndNote
 */
export async function changeAndNotify<T>(chat: Chat, lane: string, work: Work<T>, turn = lane): Promise<T> {
  const { value, noted } = await changeAndNote(chat, lane, work, turn)
  await chat.outbox.publish(noted, nothingKnown)
  return value
}

/**
 * The first half of changeAndNotify; the caller publishes what is noted.
 * @param turn the changes that are sure to conflict wait for each other; by default those of the lane
 */
export async function changeAndNote<T>(chat: Chat, lane: string, work: Work<T>, turn = lane): Promise<Committed<T>> {
  return inTransaction(
    chat.db,
    async (session) => {
      const pending: PendingEvents = []
      const value = await work(session, pending)
      const [noted = { notes: [], before: [] }] = await chat.outbox.note([{ lane, events: pending }], session)
      return { value, noted }
    },
    { turn },
  )
}
