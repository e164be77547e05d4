import type { Room } from '@parley/contracts/resources/room'
import type { Session } from '@parley/db/connect'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsers } from '@parley/db/users/users'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { toRoomView, toRoomViewFor } from '../views/room.ts'
import { justWritten, noDocs } from './current-docs.ts'
import type { PendingEvents } from './event-builders.ts'
import { roomOrderingKey } from './ordering-keys.ts'
import { type ChangeEntries, noEntries } from './outbox.ts'

type Work<T> = (session: Session, pending: PendingEvents) => Promise<T>

export interface Committed<T> {
  value: T
  entries: ChangeEntries
}

/**
 * Runs a change in a transaction that also stores its events, and publishes them after the commit. When this settles,
 * the bus has the events or the relay will publish them, even if this process dies.
 *
 * @param orderingKey see ordering-keys.ts
 * @param lock see commitChange
 */
export async function changeAndNotify<T>(
  chat: Chat,
  orderingKey: string,
  work: Work<T>,
  lock = orderingKey,
): Promise<T> {
  const { value, entries } = await commitChange(chat, orderingKey, work, lock)
  await chat.outbox.publish(entries, noDocs)
  return value
}

/**
 * The first half of changeAndNotify; the caller publishes the entries. Writes the audit entry in the same transaction.
 * @param lock key under which conflicting changes queue; by default the ordering key
 */
export async function commitChange<T>(
  chat: Chat,
  orderingKey: string,
  work: Work<T>,
  lock = orderingKey,
): Promise<Committed<T>> {
  const committed = await inTransaction(
    chat.db,
    async (session) => {
      const pending: PendingEvents = []
      const value = await work(session, pending)
      await chat.audit?.write(chat.db, session)
      const [entries = noEntries] = await chat.outbox.add([{ orderingKey, events: pending }], session)
      return { value, entries }
    },
    { lock },
  )
  chat.audit?.committed()
  return committed
}

/**
 * Publishes the entries of a room's change. Returns the Room as the caller sees it, once the sockets have moved.
 * @param users profiles of its first members, if known
 */
export async function publishRoom(
  chat: Chat,
  by: Caller,
  { value: room, entries }: Committed<RoomDoc>,
  users?: ReadonlyMap<string, UserDoc>,
): Promise<Room> {
  const profiles = users ?? (await findUsers(chat.db, room.app, room.firstMembers))
  await chat.outbox.publishCommands(entries, justWritten({ room: toRoomView(room, profiles) }), room)
  return toRoomViewFor(by, room, profiles)
}

/**
 * Publishes what waits of a room's changes. Afterwards the sockets have moved as the room says, also if the request that
 * changed it has not settled.
 */
export async function publishWaiting({ outbox }: Chat, { app, id }: RoomDoc): Promise<void> {
  await outbox.publishKeys([roomOrderingKey(app, id)])
}
