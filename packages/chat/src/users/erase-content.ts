import { key } from '@parley/db/keys'
import type { JobDoc } from '@parley/db/documents'
import { findHeld } from '@parley/db/holds/holds'
import { noteErased } from '@parley/db/jobs'
import { changeMessage, type MessageChange, ofStream, stub } from '@parley/db/messages/change-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import { mostAtOneTime } from '@parley/db/messages/messages'
import { findMessagesOfSender, findRoomsOfSender } from '@parley/db/retention/messages-of-sender'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { takeRoomTime } from '@parley/db/rooms/rooms'
import { findThreadsOfUser } from '@parley/db/threads/thread-members'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import { inTransaction, type Session } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { nothingKnown } from '../events/as-of-now.ts'
import { messageOrderingKey, roomOrderingKey } from '../events/ordering-keys.ts'
import { recalled } from '../messages/changing/recalled.ts'
import { uncountMessages } from '../messages/changing/uncount-messages.ts'

/** Rooms of the app that are looked through at once. */
const roomsInPage = 200

/** A message without its content, as if its sender had recalled it. */
const redacted: MessageChange = {
  set: { messageType: recalled, recalled: true },
  without: ['content', 'mentions', 'attachments', 'expiresAtMS', 'heldExpiryMS', ...ofStream],
}

/** An erasure with its progress, which the job keeps. */
type Erasure = JobDoc & { user: string; content: 'redact' | 'delete' }

/**
 * Takes the content of everything that an erased user wrote, in threads and in all rooms of the app, in small transactions with their
 * events; spares rooms under hold. What is done already is skipped, so it may be repeated.
 * @returns whether it is finished, or stopped because the process stops
 * @throws JobTaken
 */
export async function eraseContent(chat: Chat, job: Erasure): Promise<boolean> {
  const { db, jobs } = chat
  const { app, user } = job
  const threads = await inSnapshot(db, (session) => findThreadsOfUser(db, app, user, session))
  for (const { room, roomKey } of threads) {
    if (!(await eraseIn(chat, job, { room, roomKey }))) return false
  }
  for (let afterRoom: string | undefined = job.erased?.afterRoom ?? ''; afterRoom !== undefined; ) {
    const { rooms, next } = await findRoomsOfSender(db, app, user, afterRoom, roomsInPage)
    for (const { _id: roomKey, id: room } of rooms) {
      if (!(await eraseIn(chat, job, { room, roomKey }))) return false
    }
    if (jobs.signal.aborted) return false
    if (next !== undefined) await noteErased(db, job, { afterRoom: next })
    afterRoom = next
  }
  return true
}

/** Of one room or thread; returns whether it is finished. */
async function eraseIn(chat: Chat, job: Erasure, of: { room: string; roomKey: string }): Promise<boolean> {
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    if (chat.jobs.signal.aborted) return false
    afterSeq = await eraseNext(chat, job, of, afterSeq)
  }
  return true
}

/** Returns the seq after which there can be more. */
async function eraseNext(
  chat: Chat,
  job: Erasure,
  { room: roomId, roomKey }: { room: string; roomKey: string },
  afterSeq: number,
): Promise<number | undefined> {
  const { db, outbox } = chat
  const { app, user, content } = job
  const work = async (session: Session) => {
    const room = await lockRoom(db, app, roomId, session)
    const some = { afterSeq, limit: mostAtOneTime }
    const found = room ? await findMessagesOfSender(db, roomKey, user, some, session) : []
    if (!room || found.length === 0) return { next: undefined, noted: [] }
    const held = await findHeld(db, app, { room: roomId, users: [user] }, session)
    if (held.room || held.users.has(user)) {
      await noteErased(db, job, { spared: key(app, roomId) }, session)
      return { next: undefined, noted: [] }
    }
    const living = found.filter((message) => !isDeletedIn(message, room) && (content === 'delete' || !message.recalled))
    const next = found.length < mostAtOneTime ? undefined : found.at(-1)?.seq
    if (living.length === 0) return { next, noted: [] }
    const updatedAtMS = await takeRoomTime(db, room, session)
    await uncountMessages(db, room, living, session)
    const change = content === 'delete' ? stub : redacted
    for (const message of living) await changeMessage(db, message, change, updatedAtMS, session)
    await noteErased(db, job, { messages: living.length }, session)
    const event = content === 'delete' ? 'messageDeleted' : 'messageUpdated'
    const changes = living.map(({ _id }) => ({
      orderingKey: messageOrderingKey(_id),
      events: [{ kind: 'message' as const, message: _id, event, changedAtMS: updatedAtMS } as const],
    }))
    return { next, noted: room.deletedAt ? [] : await outbox.note(changes, session) }
  }
  const { next, noted } = await inTransaction(db, work, { turn: roomOrderingKey(app, roomId) })
  for (const one of noted) void outbox.publish(one, nothingKnown)
  return next
}
