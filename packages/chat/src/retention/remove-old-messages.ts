import type { Session } from '@parley/db/connect'
import { findHeld, findHeldUsers } from '@parley/db/holds/holds'
import { key } from '@parley/db/keys'
import { perBucket } from '@parley/db/message-buckets/buckets'
import { findBySeq, findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import { findUsersWhoDeleted } from '@parley/db/messages/user-deletions'
import {
  findOldestInThreads,
  passMessages,
  removeMessages,
  removeRoot,
  setGone,
  setGoneInThread,
} from '@parley/db/retention/gone-messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { advanceRoomClock } from '@parley/db/rooms/rooms'
import { countedThread, lengthOf } from '@parley/db/threads/thread'
import { findThreadUsers, rootOf } from '@parley/db/threads/thread-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'
import { noDocs } from '../events/current-docs.ts'
import { allDeleted } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'

/** Messages per transaction, which sends to the room wait for. */
const atOnce = 16 * perBucket

interface OfRoom {
  app: string
  id: string
}

/**
 * Removes the next messages of a room's threads that were sent before a time, in one transaction with their event.
 * @returns whether there may be more
 */
export function removeOldInThreads(chat: Chat, of: OfRoom, beforeMS: number): Promise<boolean> {
  return removeInRoom(chat, of, async (room, session) => {
    const found = await findOldestInThreads(chat.db, of, beforeMS, atOnce, session)
    const old = await withoutHeld(chat, of, found, session)
    const last = old.at(-1)
    if (!last) return undefined
    const atMS = await advanceRoomClock(chat.db, room, session)
    const byThread = Map.groupBy(old, ({ threadOf = '' }) => threadOf)
    for (const [root, messages] of byThread) await removeInThread(chat, room, { root, messages, atMS }, session)
    return { upToSeq: room.deletedUpToSeq ?? 0, upToMS: last.createdAtMS, more: old.length === atOnce }
  })
}

async function removeInThread(
  { db }: Chat,
  room: RoomDoc,
  { root: rootId, messages, atMS }: { root: string; messages: MessageDoc[]; atMS: number },
  session: Session,
): Promise<void> {
  const ordered = messages.toSorted((a, b) => a.seq - b.seq)
  const { roomKey = '', seq: first = 0 } = ordered[0] ?? {}
  const upToSeq = ordered.at(-1)?.seq ?? 0
  const [root] = await findMessages(db, [rootId], { session })
  const counted = root ? countedThread(root, room) : { _id: roomKey, deletedUpToSeq: 0 }
  const hidden = await findUsersWhoDeleted(db, roomKey, ordered, session)
  const counting = ordered.filter(({ seq }) => seq > counted.deletedUpToSeq)
  if (counting.length > 0) await passMessages(db.threadMembers, counted, counting, { upToSeq, hidden }, session)
  await removeMessages(db, roomKey, ordered, { afterSeq: first - 1, upToSeq, kept: new Set(), atMS }, session)
  if (!root?.thread) return
  const isOver = upToSeq === root.thread.seq && root.seq <= (room.goneUpToSeq ?? 0)
  if (isOver) await removeRoot(db, root, session)
  else await setGoneInThread(db, rootId, counted.deletedUpToSeq, upToSeq, session)
}

/**
 * Removes the next messages of the room itself that were sent before a time, in one transaction with their event. The
 * root of a thread stays as a stub while the thread has messages.
 * @returns whether there may be more
 */
export function removeOldInRoom(chat: Chat, of: OfRoom, beforeMS: number): Promise<boolean> {
  const { db } = chat
  return removeInRoom(chat, of, async (room, session) => {
    const { goneUpToSeq: afterSeq = 0, deletedUpToSeq = 0 } = room
    // Aligns later rounds to whole buckets.
    const limit = atOnce - (afterSeq % perBucket)
    const found = await findBySeq(db, room._id, { after: afterSeq, upTo: room.seq }, { limit, session })
    const old = await withoutHeld(chat, of, found.slice(0, endOf(found, beforeMS)), session)
    const upToSeq = old.at(-1)?.seq
    if (upToSeq === undefined) return undefined
    const atMS = await advanceRoomClock(db, room, session)
    const counting = old.filter(({ seq }) => seq > deletedUpToSeq)
    const hidden = await findUsersWhoDeleted(db, room._id, old, session)
    if (counting.length > 0) await passMessages(db.memberships, room, counting, { upToSeq, hidden }, session)
    const kept = new Set(old.filter(({ thread }) => thread && lengthOf(thread) > 0).map(({ _id }) => _id))
    await removeMessages(db, room._id, old, { afterSeq, upToSeq, kept, atMS }, session)
    await setGone(db, room, upToSeq, session)
    const more = old.length === limit
    return { upToSeq: Math.max(upToSeq, deletedUpToSeq), upToMS: room.deletedUpToMS ?? 0, more }
  })
}

/** The messages before the first under a hold, or with a held user in its thread, so that held ones keep context. */
async function withoutHeld(
  chat: Chat,
  of: OfRoom,
  messages: readonly MessageDoc[],
  session: Session,
): Promise<MessageDoc[]> {
  if (messages.length === 0) return []
  const users = messages.map(({ sender }) => sender)
  const held = await findHeld(chat.db, of.app, { room: of.id, users }, session)
  if (held.room) return []
  const roots = await rootsOfHeld(chat, of, messages, session)
  const first = messages.findIndex(({ _id, sender }) => held.users.has(sender) || roots.has(_id))
  return messages.slice(0, first === -1 ? messages.length : first)
}

/** The IDs of roots whose thread has messages and a user under hold. */
async function rootsOfHeld(
  { db }: Chat,
  { app, id: room }: OfRoom,
  messages: readonly MessageDoc[],
  session: Session,
): Promise<Set<string>> {
  const roots = messages.flatMap(({ _id, thread }) => (thread && lengthOf(thread) > 0 ? [_id] : []))
  const users = roots.length > 0 ? await findHeldUsers(db, app, session) : []
  if (users.length === 0) return new Set()
  const found = await findThreadUsers(db, { app, room, users, roots }, session)
  return new Set(found.map(({ roomKey }) => rootOf(roomKey)))
}

/** Number of leading messages sent before a time. */
function endOf(messages: readonly MessageDoc[], beforeMS: number): number {
  const first = messages.findIndex(({ createdAtMS }) => createdAtMS >= beforeMS)
  return first === -1 ? messages.length : first
}

interface Removed {
  upToSeq: number
  upToMS: number
  more: boolean
}

async function removeInRoom(
  { db, outbox }: Chat,
  { app, id }: OfRoom,
  remove: (room: RoomDoc, session: Session) => Promise<Removed | undefined>,
): Promise<boolean> {
  const orderingKey = roomOrderingKey(app, id)
  const work = async (session: Session) => {
    const room = await lockRoom(db, app, id, session)
    const removed = room && (await remove(room, session))
    // A deleted room gets no events.
    if (!removed || room.deletedAt) return { more: removed?.more ?? false, entries: [] }
    const { upToSeq, upToMS, more } = removed
    const events = [allDeleted(room, newId(), { upToSeq, upToMS })]
    return { more, entries: await outbox.add([{ orderingKey, events }], session) }
  }
  const { more, entries } = await inTransaction(db, work, { lock: orderingKey })
  for (const one of entries) void outbox.publish(one, noDocs)
  return more
}

/** Time of the oldest message of a room and its threads; undefined if there is none. */
export async function findOldestMS({ db }: Chat, { app, id }: OfRoom): Promise<number | undefined> {
  const roomKey = key(app, id)
  const room = await db.rooms.findOne({ _id: roomKey }, { projection: { goneUpToSeq: 1, seq: 1 } })
  const { goneUpToSeq: after = 0, seq: upTo = 0 } = room ?? {}
  const [first] = await findBySeq(db, roomKey, { after, upTo }, { limit: 1 })
  const [inThread] = await findOldestInThreads(db, { app, id }, Number.MAX_SAFE_INTEGER, 1)
  const times = [first, inThread].flatMap((message) => message?.createdAtMS ?? [])
  return times.length > 0 ? Math.min(...times) : undefined
}
