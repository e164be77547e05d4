import { eraseFromStreams } from '@parley/bus/stream/erase-from-stream'
import type { Session } from '@parley/db/connect'
import type { JobDoc, OwedRoom } from '@parley/db/documents'
import { findHeld, findHeldRooms, oweErasure } from '@parley/db/holds/holds'
import { noteErased } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { changeMessage, type MessageChange, stub } from '@parley/db/messages/change-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { mostAtOneTime } from '@parley/db/messages/messages'
import { findMessagesOfSender, findRoomsOfSender, findThreadsOfSender } from '@parley/db/messages/messages-of-sender'
import { forgetAnswersOfRoom } from '@parley/db/push/call-history'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { takeRoomTime } from '@parley/db/rooms/rooms'
import { findThreadsOfUser } from '@parley/db/threads/thread-members'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { justChanged } from '../events/as-of-now.ts'
import { messageChanged } from '../events/event-builders.ts'
import { messageOrderingKey, roomOrderingKey } from '../events/ordering-keys.ts'
import { recall } from '../messages/changing/recalled.ts'
import { uncountMessages } from '../messages/changing/uncount-messages.ts'

const roomsInPage = 200

const redacted: MessageChange = {
  set: recall.set,
  without: [...recall.without, 'expiresAtMS', 'heldExpiryMS'],
}

/** The erasure of a user together with their messages. */
export type ContentErasure = JobDoc & Required<Pick<JobDoc, 'user' | 'content'>>

/**
 * Removes the content of everything that an erased user wrote, in all rooms and threads of the app, in small
 * transactions with their events. Rooms under a hold are spared. A job with `owed` removes only what holds have spared,
 * once they are lifted. Messages already done are skipped, so another process may repeat it.
 * @returns whether it is finished; false if the process is stopping
 * @throws JobTaken
 */
export async function eraseContent(chat: Chat, job: ContentErasure): Promise<boolean> {
  if (job.owed) return eraseOwed(chat, job, job.owed)
  const { db, bus, jobs } = chat
  const { app, user } = job
  const threads = await inSnapshot(db, (session) => findThreadsOfUser(db, app, user, session))
  for (const { room, roomKey } of threads) {
    if (!(await eraseIn(chat, job, { room, roomKey }))) return false
  }
  let afterRoom = job.erased?.afterRoom
  do {
    const { rooms, next } = await findRoomsOfSender(db, app, user, afterRoom, roomsInPage)
    for (const { _id: roomKey, id: room } of rooms) {
      if (!(await eraseIn(chat, job, { room, roomKey }))) return false
      await forgetAnswersOfRoom(db, { app, room }, { client: user })
    }
    if (next !== undefined) await noteErased(db, job, { afterRoom: next })
    afterRoom = next
  } while (afterRoom !== undefined)
  const held = new Set(await findHeldRooms(db, app))
  return eraseFromStreams(bus, { app, sender: user, concerns: (room) => !held.has(room) }, jobs.signal)
}

/** Leaves out the messages of a later user with the same ID. */
async function eraseOwed(chat: Chat, job: ContentErasure, owed: readonly OwedRoom[]): Promise<boolean> {
  const { db, bus, jobs } = chat
  const { app, user } = job
  for (const { room, upToMS } of owed) {
    if (!(await eraseIn(chat, job, { room, roomKey: key(app, room), upToMS }))) return false
    for (const roomKey of await findThreadsOfSender(db, { app, room }, user)) {
      if (!(await eraseIn(chat, job, { room, roomKey, upToMS }))) return false
    }
    await forgetAnswersOfRoom(db, { app, room }, { client: user })
  }
  const held = new Set(await findHeldRooms(db, app))
  const until = new Map(owed.map(({ room, upToMS }) => [room, held.has(room) ? 0 : upToMS]))
  const concerns = (room: string, sentAtMS: number) => sentAtMS <= (until.get(room) ?? 0)
  return eraseFromStreams(bus, { app, sender: user, concerns }, jobs.signal)
}

/** A room or thread. `upToMS` limits the erasure to messages up to this time. */
interface Place {
  room: string
  roomKey: string
  upToMS?: number
}

/** Erases content in one room or thread. Returns whether it is finished. */
async function eraseIn(chat: Chat, job: ContentErasure, of: Place): Promise<boolean> {
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
    if (chat.jobs.signal.aborted) return false
    afterSeq = await eraseNext(chat, job, of, afterSeq)
  }
  return true
}

/** Returns the seq after which there may be more; undefined if there is no more. */
async function eraseNext(
  chat: Chat,
  job: ContentErasure,
  { room: roomId, roomKey, upToMS = Number.MAX_SAFE_INTEGER }: Place,
  afterSeq: number,
): Promise<number | undefined> {
  const { db, outbox } = chat
  const { app, user, content } = job
  const work = async (session: Session) => {
    const room = await lockRoom(db, app, roomId, session)
    const some = { afterSeq, limit: mostAtOneTime }
    if (!room) return { next: undefined, noted: [] }
    const { messages, next } = await findMessagesOfSender(db, roomKey, user, some, session)
    const found = messages.filter(({ createdAtMS }) => createdAtMS <= upToMS)
    if (found.length === 0) return { next, noted: [] }
    const held = await findHeld(db, app, { room: roomId, users: [user] }, session)
    if (held.room || held.users.has(user)) {
      // The user is gone, so nothing later is theirs.
      const owed = { job: job.id, user, content, room: roomId, upToMS: Math.min(upToMS, room.clockMS) }
      await oweErasure(db, app, owed, session)
      await noteErased(db, job, { spared: room._id }, session)
      return { next: undefined, noted: [] }
    }
    const isDone = (message: (typeof found)[number]) =>
      message.system || isDeletedIn(message, room) || (content === 'redact' && message.recalled)
    const living = found.filter((message) => !isDone(message))
    if (living.length === 0) return { next, noted: [] }
    const updatedAtMS = await takeRoomTime(db, room, session)
    await uncountMessages(db, room, living, session)
    const change = content === 'delete' ? stub : redacted
    const changed: MessageDoc[] = []
    for (const message of living) changed.push(await changeMessage(db, message, change, updatedAtMS, session))
    await noteErased(db, job, { messages: living.length }, session)
    const event = content === 'delete' ? 'messageDeleted' : 'messageUpdated'
    const changes = living.map(({ _id }) => ({
      orderingKey: messageOrderingKey(_id),
      events: [messageChanged(_id, event, updatedAtMS)],
    }))
    // A deleted room gets no events.
    return { next, changed, noted: room.deletedAt ? [] : await outbox.note(changes, session) }
  }
  const { next, noted, changed = [] } = await inTransaction(db, work, { turn: roomOrderingKey(app, roomId) })
  // Without quotes: the messages may quote each other, and not all are done.
  const now = justChanged(changed)
  await Promise.all(noted.map((one) => outbox.publish(one, now)))
  return next
}
