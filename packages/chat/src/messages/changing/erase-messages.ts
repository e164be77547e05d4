import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { idsOf } from '@parley/db/keys'
import { stubMessages, stubMessagesByID } from '@parley/db/messages/change-messages'
import { maxAtOneTime } from '@parley/db/messages/messages'
import { deleteSearchTexts, setSearchProgress } from '@parley/db/messages/search-texts'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { leaseErasing, markErasingPublished, setErasing } from '@parley/db/rooms/erasing-rooms'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { advanceRoomClock, findRoom } from '@parley/db/rooms/rooms'
import { findThreadMessages } from '@parley/db/threads/thread-messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../../chat.ts'
import { untilDone, type Worker } from '../../jobs/run-workers.ts'

/** Longer than a chunk takes, so that one process at a time works on a room. */
const leaseMS = 10_000
/** Messages per transaction. Few, because sends to the room wait for it. */
const chunk = 200

/**
 * Turns the documents of messages deleted with their whole room into stubs. Each gets a new updated time, so that a
 * sync by afterTime sees it. Works in small transactions, oldest first. Any number of processes may run this, and
 * another continues where one stops.
 */
export function eraseMessages(chat: Chat): Worker {
  return {
    kinds: ['deletedMessages'],
    onError: (error) => chat.log.warn({ err: error }, 'deleted messages not erased; trying again'),
    work: untilDone((signal) => eraseNextRoom(chat, signal)),
  }
}

/** Erases messages of one room that no other process has leased. Returns whether there was one. */
export async function eraseNextRoom(chat: Chat, signal: AbortSignal): Promise<boolean> {
  const room = await leaseErasing(chat.db, leaseMS)
  if (!room) return false
  const unpublished = room.erasing?.unpublished
  if (unpublished !== undefined && (await chat.outbox.publishBeforeMessages(room))) {
    await markErasingPublished(chat.db, room._id, unpublished)
  }
  for (let more = true; more && !signal.aborted; ) {
    const sinceMS = performance.now()
    more = await eraseChunk(chat, room)
    // Pauses as long as the chunk took, to let sends to the room through.
    await pause(performance.now() - sinceMS)
  }
  if (!signal.aborted) await eraseThreads(chat, room, signal)
  if (!signal.aborted) await finish(chat, room)
  return true
}

async function eraseChunk(chat: Chat, { app, id }: RoomDoc): Promise<boolean> {
  return inTransaction(chat.db, async (session) => {
    const room = await lockRoom(chat.db, app, id, session)
    const end = room?.deletedUpToSeq ?? 0
    if (!room?.erasing || room.erasing.doneUpToSeq === end) return false
    const afterSeq = room.erasing.doneUpToSeq
    const upToSeq = Math.min(afterSeq + chunk, end)
    const times = Math.ceil((upToSeq - afterSeq) / maxAtOneTime)
    const firstMS = await advanceRoomClock(chat.db, room, session, times)
    for (let i = 0; i < times; i++) {
      const from = afterSeq + i * maxAtOneTime
      const range = { after: from, upTo: Math.min(from + maxAtOneTime, upToSeq) }
      await stubMessages(chat.db, room._id, range, firstMS + i, session)
    }
    const left = { ...room.erasing, doneUpToSeq: upToSeq, leaseUntilMS: clock.now() + leaseMS }
    await setErasing(chat.db, room._id, left, session)
    return upToSeq < end
  })
}

/** Removes the messages from the search index, and the mark of pending work unless more was added. */
async function finish(chat: Chat, { _id, app, id, deletedUpToSeq = 0, deletedUpToMS = 0 }: RoomDoc): Promise<void> {
  // Indexing writes the progress too, so it either finished before this, or starts after these messages.
  await inTransaction(chat.db, (session) => setSearchProgress(chat.db, _id, deletedUpToSeq, session))
  await deleteSearchTexts(chat.db, _id, deletedUpToSeq, deletedUpToMS)
  await inTransaction(chat.db, async (session) => {
    const room = await findRoom(chat.db, app, id, session)
    const isOver = room?.erasing?.doneUpToSeq === deletedUpToSeq && room.deletedUpToSeq === deletedUpToSeq
    const areThreadsOver = (room?.deletedUpToMS ?? 0) === deletedUpToMS
    if (isOver && areThreadsOver && room?.erasing?.unpublished === undefined)
      await setErasing(chat.db, _id, null, session)
  })
}

/** Turns thread messages deleted with their room into stubs, like eraseMessages for the room's own. Idempotent. */
async function eraseThreads(chat: Chat, room: RoomDoc, signal: AbortSignal): Promise<void> {
  if (room.lastThreadAtMS === undefined) return
  let afterMS: number | undefined = 0
  while (afterMS !== undefined && !signal.aborted) {
    const sinceMS = performance.now()
    afterMS = await eraseThreadChunk(chat, room, afterMS)
    // Lets sends to the room through.
    await pause(performance.now() - sinceMS)
  }
}

/** Returns the time after which there may be more messages; undefined if there are none. */
async function eraseThreadChunk(chat: Chat, { app, id }: RoomDoc, afterMS: number): Promise<number | undefined> {
  return inTransaction(chat.db, async (session) => {
    const room = await lockRoom(chat.db, app, id, session)
    const range = { afterMS, upToMS: room?.deletedUpToMS ?? 0 }
    const messages = room ? await findThreadMessages(chat.db, room, range, maxAtOneTime, session) : []
    if (!room || messages.length === 0) return undefined
    const updatedAtMS = await advanceRoomClock(chat.db, room, session)
    const ids = idsOf(messages)
    await stubMessagesByID(chat.db, ids, updatedAtMS, session)
    return messages.at(-1)?.createdAtMS
  })
}
