import { eraseFromStreams } from '@parley/bus/stream/erase-from-stream'
import type { Session } from '@parley/db/connect'
import type { JobDoc, OwedRoom } from '@parley/db/documents'
import { findHeld, findHeldRooms, oweErasure } from '@parley/db/holds/holds'
import { recordErased } from '@parley/db/jobs'
import { idsOf, key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { changeMessages, type MessageChange, stub } from '@parley/db/messages/change-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { maxAtOneTime } from '@parley/db/messages/messages'
import { findMessagesOfSender, findRoomsOfSender, findThreadsOfSender } from '@parley/db/messages/messages-of-sender'
import { findReactedBy } from '@parley/db/messages/reactions-of-user'
import { forgetAnswersOfRoom } from '@parley/db/push/call-history'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { advanceRoomClock } from '@parley/db/rooms/rooms'
import { findThreadsOfUser } from '@parley/db/threads/thread-members'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { justChanged } from '../events/current-docs.ts'
import { messageChanged } from '../events/event-builders.ts'
import { messageOrderingKey, roomOrderingKey } from '../events/ordering-keys.ts'
import type { ChangeEntries, Outbox } from '../events/outbox.ts'
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
    if (next !== undefined) await recordErased(db, job, { afterRoom: next })
    afterRoom = next
  } while (afterRoom !== undefined)
  if (!(await eraseReactions(chat, job))) return false
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
  if (!(await eraseReactions(chat, job, owed))) return false
  const held = new Set(await findHeldRooms(db, app))
  const until = new Map(owed.map(({ room, upToMS }) => [room, held.has(room) ? 0 : upToMS]))
  const concerns = (room: string, sentAtMS: number) => sentAtMS <= (until.get(room) ?? 0)
  return eraseFromStreams(bus, { app, sender: user, concerns }, jobs.signal)
}

/** A room or thread. `upToMS` limits the erasure to messages up to this time. */
interface ErasureScope {
  room: string
  roomKey: string
  upToMS?: number
}

/** Erases content in one room or thread. Returns whether it is finished. */
async function eraseIn(chat: Chat, job: ContentErasure, of: ErasureScope): Promise<boolean> {
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
  { room: roomId, roomKey, upToMS = Number.MAX_SAFE_INTEGER }: ErasureScope,
  afterSeq: number,
): Promise<number | undefined> {
  const { db, outbox } = chat
  const { app, user, content } = job
  const work = async (session: Session): Promise<{ next: number | undefined; erased?: Erased }> => {
    const room = await lockRoom(db, app, roomId, session)
    const some = { afterSeq, limit: maxAtOneTime }
    if (!room) return { next: undefined }
    const { messages, next } = await findMessagesOfSender(db, roomKey, user, some, session)
    const found = messages.filter(({ createdAtMS }) => createdAtMS <= upToMS)
    if (found.length === 0) return { next }
    if (await isSpared(chat, job, room, upToMS, session)) return { next: undefined }
    const isDone = (message: (typeof found)[number]) =>
      message.system || isDeletedIn(message, room) || (content === 'redact' && message.recalled)
    const left = found.filter((message) => !isDone(message))
    if (left.length === 0) return { next }
    const updatedAtMS = await advanceRoomClock(db, room, session)
    await uncountMessages(db, room, left, session)
    const change = content === 'delete' ? stub : redacted
    const changed = await changeMessages(db, left, () => change, updatedAtMS, session)
    await recordErased(db, job, { messages: left.length }, session)
    const event = content === 'delete' ? 'messageDeleted' : 'messageUpdated'
    const entries = await storeEvents(outbox, room, changed, event, session)
    return { next, erased: { room, changed, entries } }
  }
  const { next, erased } = await inTransaction(db, work, { lock: roomOrderingKey(app, roomId) })
  if (erased) await publish(outbox, erased)
  return next
}

interface Erased {
  room: RoomDoc
  changed: MessageDoc[]
  entries: readonly ChangeEntries[]
}

/** Notes that a hold spares what the user did in the room up to a time. Returns whether one does. */
async function isSpared(
  { db }: Chat,
  job: ContentErasure,
  room: RoomDoc,
  upToMS: number,
  session: Session,
): Promise<boolean> {
  const { app, user, content } = job
  const held = await findHeld(db, app, { room: room.id, users: [user] }, session)
  if (!held.room && !held.users.has(user)) return false
  // The user is gone, so nothing later is theirs.
  const owed = { job: job.id, user, content, room: room.id, upToMS: Math.min(upToMS, room.clockMS) }
  await oweErasure(db, app, owed, session)
  await recordErased(db, job, { spared: room._id }, session)
  return true
}

async function storeEvents(
  outbox: Outbox,
  room: RoomDoc,
  changed: readonly MessageDoc[],
  event: 'messageUpdated' | 'messageDeleted',
  session: Session,
): Promise<ChangeEntries[]> {
  // A deleted room gets no events.
  if (room.deletedAt) return []
  const changes = changed.map(({ _id, updatedAtMS }) => ({
    orderingKey: messageOrderingKey(_id),
    events: [messageChanged(_id, event, updatedAtMS)],
  }))
  return outbox.add(changes, session)
}

async function publish(outbox: Outbox, { room, changed, entries }: Erased): Promise<void> {
  // Without quotes: the messages may quote each other, and not all are done.
  const now = justChanged(changed)
  await Promise.all(entries.map((one) => outbox.publishInRoom(room, one, now)))
}

/**
 * Removes the user's reactions in all rooms and threads, or in those that are owed. Returns whether it is finished;
 * those already removed are not found again.
 */
async function eraseReactions(chat: Chat, job: ContentErasure, owed?: readonly OwedRoom[]): Promise<boolean> {
  const until = owed && new Map(owed.map(({ room, upToMS }) => [room, upToMS]))
  const upToMS = (room: string) => (until ? (until.get(room) ?? -1) : Number.MAX_SAFE_INTEGER)
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (chat.jobs.signal.aborted) return false
    const found = await findReactedBy(chat.db, job, { after, limit: maxAtOneTime })
    const wanted = found.filter(({ room, createdAtMS }) => createdAtMS <= upToMS(room))
    for (const [room, messages] of Map.groupBy(wanted, (message) => message.room)) {
      await eraseReactionsTo(chat, job, { room, messages: idsOf(messages), upToMS: upToMS(room) })
    }
    after = found.length < maxAtOneTime ? undefined : found.at(-1)?._id
  }
  return true
}

async function eraseReactionsTo(
  chat: Chat,
  job: ContentErasure,
  { room: roomId, messages, upToMS }: { room: string; messages: readonly string[]; upToMS: number },
): Promise<void> {
  const { db, outbox } = chat
  const { app, user } = job
  const work = async (session: Session): Promise<Erased | undefined> => {
    const room = await lockRoom(db, app, roomId, session)
    if (!room || (await isSpared(chat, job, room, upToMS, session))) return undefined
    const updatedAtMS = await advanceRoomClock(db, room, session)
    const found = await findMessages(db, messages, { app, session })
    const withoutOwn = ({ reactions = [] }: MessageDoc) => ({
      set: { reactions: reactions.filter(({ client }) => client !== user) },
    })
    const changed = await changeMessages(db, found, withoutOwn, updatedAtMS, session)
    return { room, changed, entries: await storeEvents(outbox, room, changed, 'messageUpdated', session) }
  }
  const erased = await inTransaction(db, work, { lock: roomOrderingKey(app, roomId) })
  if (erased) await publish(outbox, erased)
}
