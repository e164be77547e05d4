import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import type { Session } from '@parley/db/connect'
import { findHeld, spareExpired } from '@parley/db/holds/holds'
import { idsOf, key } from '@parley/db/keys'
import { stubMessagesByID } from '@parley/db/messages/change-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { type ExpiredMessage, findExpired, findStillExpired } from '@parley/db/messages/expiring-messages'
import { maxAtOneTime } from '@parley/db/messages/messages'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { advanceRoomClock } from '@parley/db/rooms/rooms'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../../chat.ts'
import { justChanged } from '../../events/current-docs.ts'
import { messageChanged } from '../../events/event-builders.ts'
import { messageOrderingKey, roomOrderingKey } from '../../events/ordering-keys.ts'
import { untilDone, type Worker } from '../../jobs/run-workers.ts'
import { uncountMessages } from './uncount-messages.ts'

const atOnce = 1_000
const roomsAtOnce = 8

/** Turns expired messages into stubs (docs/reference/messages.md#messages-that-expire), in any number of processes. */
export function expireMessages(chat: Chat): Worker {
  return {
    kinds: ['expired'],
    onError: (error) => chat.log.warn({ err: error }, 'expired messages not deleted; trying again'),
    work: untilDone(async () => (await expireDue(chat)) === atOnce),
  }
}

/** Turns one batch of due messages into stubs. Returns the size of the batch. */
export async function expireDue(chat: Chat): Promise<number> {
  const due = await findExpired(chat.db, clock.now(), atOnce)
  // Several processes may read the same batch, so each shuffles the rooms.
  const rooms = [...Map.groupBy(due, ({ app, room }) => key(app, room)).values()]
  const byChance = rooms.map((own) => ({ own, at: Math.random() })).toSorted((a, b) => a.at - b.at)
  const failed: unknown[] = []
  // A failing room must not delay the others.
  const expire = ({ own }: { own: ExpiredMessage[] }) =>
    expireInRoom(chat, own).catch((error: unknown) => failed.push(error))
  for (const some of inParts(byChance, roomsAtOnce)) await Promise.all(some.map(expire))
  if (failed.length > 0) throw failed[0]
  return due.length
}

/** Expires messages in small transactions, since sends to the room wait for them. */
async function expireInRoom(chat: Chat, due: readonly ExpiredMessage[]): Promise<void> {
  for (const part of inParts(due, maxAtOneTime)) {
    const ids = idsOf(part)
    const [first] = await findStillExpired(chat.db, ids, clock.now())
    if (first) await expirePart(chat, first, ids)
  }
}

async function expirePart(
  chat: Chat,
  { app, room: roomId }: Pick<MessageDoc, 'app' | 'room'>,
  ids: readonly string[],
): Promise<void> {
  const { db, outbox } = chat
  const work = async (session: Session) => {
    const room = await lockRoom(db, app, roomId, session)
    const due = await findStillExpired(db, ids, clock.now(), session)
    if (due.length === 0) return { room, stubs: [], entries: [] }
    const held = await findHeld(db, app, { room: roomId, users: due.map(({ sender }) => sender) }, session)
    const isHeld = ({ sender }: MessageDoc) => held.room || held.users.has(sender)
    const spared = due.filter(isHeld).map(({ _id }) => _id)
    if (spared.length > 0) await spareExpired(db, spared, session)
    const found = due.filter((message) => !isHeld(message))
    if (found.length === 0) return { room, stubs: [], entries: [] }
    const shown = room ? found.filter((message) => !isDeletedIn(message, room)) : []
    const updatedAtMS = room ? await advanceRoomClock(db, room, session) : clock.now()
    if (room) await uncountMessages(db, room, shown, session)
    await stubMessagesByID(db, idsOf(found), updatedAtMS, session)
    // A deleted room gets no events.
    const stubs = room?.deletedAt ? [] : shown
    for (const stub of stubs) Object.assign(stub, { isDeleted: true, updatedAtMS })
    const changes = stubs.map(({ _id }) => ({
      orderingKey: messageOrderingKey(_id),
      events: [messageChanged(_id, 'messageDeleted', updatedAtMS)],
    }))
    return { room, stubs, entries: await outbox.add(changes, session) }
  }
  const { room, stubs, entries } = await inTransaction(db, work, { lock: roomOrderingKey(app, roomId) })
  const now = justChanged(stubs)
  if (room) for (const one of entries) void outbox.publishInRoom(room, one, now)
}
