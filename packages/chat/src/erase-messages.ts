import { setTimeout as pause } from 'node:timers/promises'
import { BusAway, publishEvent } from '@parley/bus/publish'
import { allMessages } from '@parley/contracts/operations/deletions'
import { stubMessages } from '@parley/db/messages'
import { findRoom, leaseErasing, markErasingPublished, type RoomDoc, setErasing, takeRoomTime } from '@parley/db/rooms'
import { deleteSearchTexts, setSearchProgress } from '@parley/db/search-texts'
import { inTransaction } from '@parley/db/transaction'
import type { Chat } from './chat.ts'

const lookEveryMS = 1_000
/** Longer than a chunk takes, so that only one process works on a room. */
const leaseMS = 10_000
/** Messages in one transaction: sends to the room wait for it, so it is short. */
const chunk = 200

/**
 * Brings, until the signal aborts, the documents of messages after that were deleted with all of their room: each
 * becomes a stub with a new updated time, so that a sync by afterTime learns of it. In small transactions, the
 * oldest first; any number of processes may run this, and what one leaves undone another takes up.
 */
export async function eraseMessages(chat: Chat, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      while (!signal.aborted && (await eraseNextRoom(chat, signal))) continue
    } catch (error) {
      chat.log.warn({ err: error }, 'erasing deleted messages failed; trying again')
    }
    await pause(lookEveryMS, undefined, { signal }).catch((error: Error) => {
      if (!signal.aborted) throw error
    })
  }
}

/** Works on one room that nobody works on, if there is one; answers whether there was. */
export async function eraseNextRoom(chat: Chat, signal: AbortSignal): Promise<boolean> {
  const room = await leaseErasing(chat.db, leaseMS)
  if (!room) return false
  if (room.erasing?.unpublished !== undefined) await publishAllDeleted(chat, room, room.erasing.unpublished)
  for (let more = true; more && !signal.aborted; ) {
    const sinceMS = performance.now()
    more = await eraseChunk(chat, room)
    // As long as it took, so that sends to the room get their turn.
    await pause(performance.now() - sinceMS)
  }
  if (!signal.aborted) await finish(chat, room)
  return true
}

/** Answers whether there is more to do. */
async function eraseChunk(chat: Chat, { app, id }: RoomDoc): Promise<boolean> {
  return inTransaction(chat.db, async (session) => {
    const room = await findRoom(chat.db, app, id, session)
    const end = room?.deletedUpToSeq ?? 0
    if (!room?.erasing || room.erasing.doneUpToSeq === end) return false
    const afterSeq = room.erasing.doneUpToSeq
    const upToSeq = Math.min(afterSeq + chunk, end)
    const updatedAtMS = await takeRoomTime(chat.db, room, session)
    await stubMessages(chat.db, room._id, { afterSeq, upToSeq }, updatedAtMS, session)
    const left = { ...room.erasing, doneUpToSeq: upToSeq, leaseUntilMS: Date.now() + leaseMS }
    await setErasing(chat.db, room._id, left, session)
    return upToSeq < end
  })
}

/** Removes what searching knew of the messages, and the mark that there is work, if no more has come meanwhile. */
async function finish(chat: Chat, { _id, app, id, deletedUpToSeq = 0 }: RoomDoc): Promise<void> {
  // Whoever indexes the room writes its progress too: he is done before this, or begins after these messages.
  await inTransaction(chat.db, (session) => setSearchProgress(chat.db, _id, deletedUpToSeq, session))
  await deleteSearchTexts(chat.db, _id, deletedUpToSeq)
  await inTransaction(chat.db, async (session) => {
    const room = await findRoom(chat.db, app, id, session)
    const isOver = room?.erasing?.doneUpToSeq === deletedUpToSeq && room.deletedUpToSeq === deletedUpToSeq
    if (isOver && room?.erasing?.unpublished === undefined) await setErasing(chat.db, _id, null, session)
  })
}

/** Tells the room that all its messages are deleted. What the bus does not take is told by eraseMessages. */
export async function publishAllDeleted(chat: Chat, { _id, app, id }: RoomDoc, event: string): Promise<void> {
  const json = JSON.stringify({ room: id, messageID: allMessages })
  try {
    await publishEvent(chat.bus, { to: { app, room: id }, event: 'messageDeleted', json, id: event })
    await markErasingPublished(chat.db, _id, event)
  } catch (error) {
    if (!(error instanceof BusAway)) throw error
    chat.log.warn({ err: error, room: id, event: 'messageDeleted' }, 'event not published yet')
  }
}
