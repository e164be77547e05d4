import type { Room } from '@parley/contracts/resources/room'
import type { Session } from '@parley/db/connect'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsers } from '@parley/db/users/users'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { toRoomView, toRoomViewFor } from '../views/room.ts'
import { justWritten, nothingKnown } from './as-of-now.ts'
import type { PendingEvents } from './event-builders.ts'
import { roomOrderingKey } from './ordering-keys.ts'
import { type Noted, nothingNoted } from './outbox.ts'

type Work<T> = (session: Session, pending: PendingEvents) => Promise<T>

/** A committed change, and the notes of its events. */
export interface Committed<T> {
  value: T
  noted: Noted
}

/**
 * Runs a change in a transaction that also notes its events, and publishes them after the commit. When this settles,
 * the bus has the events or the relay will publish them, even if this process dies.
 *
 * @param orderingKey see ordering-keys.ts
 * @param turn see changeAndNote
 */
export async function changeAndNotify<T>(
  chat: Chat,
  orderingKey: string,
  work: Work<T>,
  turn = orderingKey,
): Promise<T> {
  const { value, noted } = await changeAndNote(chat, orderingKey, work, turn)
  await chat.outbox.publish(noted, nothingKnown)
  return value
}

/**
 * The first half of changeAndNotify; the caller publishes the notes. Writes the audit entry in the same transaction.
 * @param turn key under which conflicting changes queue; by default the ordering key
 */
export async function changeAndNote<T>(
  chat: Chat,
  orderingKey: string,
  work: Work<T>,
  turn = orderingKey,
): Promise<Committed<T>> {
  const committed = await inTransaction(
    chat.db,
    async (session) => {
      const pending: PendingEvents = []
      const value = await work(session, pending)
      await chat.audit?.write(chat.db, session)
      const [noted = nothingNoted] = await chat.outbox.note([{ orderingKey, events: pending }], session)
      return { value, noted }
    },
    { turn },
  )
  chat.audit?.committed()
  return committed
}

/**
 * Publishes the notes of a room's change. Returns the Room as the caller sees it, once the sockets have moved.
 * @param users profiles of its first members, if known
 */
export async function publishRoom(
  chat: Chat,
  by: Caller,
  { value: room, noted }: Committed<RoomDoc>,
  users?: ReadonlyMap<string, UserDoc>,
): Promise<Room> {
  const profiles = users ?? (await findUsers(chat.db, room.app, room.firstMembers))
  await chat.outbox.publishCommands(noted, justWritten({ room: toRoomView(room, profiles) }), room)
  return toRoomViewFor(by, room, profiles)
}

/**
 * Publishes what waits of a room's changes. Afterwards the sockets have moved as the room says, also if the request that
 * changed it has not settled.
 */
export async function publishWaiting({ outbox }: Chat, { app, id }: RoomDoc): Promise<void> {
  await outbox.publishKeys([roomOrderingKey(app, id)])
}
