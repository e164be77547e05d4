import { setTimeout as pause } from 'node:timers/promises'
import { idsOf } from '@parley/db/keys'
import { stubMessagesByID } from '@parley/db/messages/change-messages'
import { mostAtOneTime } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { takeRoomTime } from '@parley/db/rooms/rooms'
import { findThreadMessages } from '@parley/db/threads/thread-messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Chat } from '../chat.ts'

/**
 * Turns the documents of thread messages deleted with their whole room into stubs, as eraseMessages does for the room's
 * own messages. Idempotent.
 */
export async function eraseThreads(chat: Chat, room: RoomDoc, signal: AbortSignal): Promise<void> {
  if (room.lastThreadAtMS === undefined) return
  let afterMS: number | undefined = 0
  while (afterMS !== undefined && !signal.aborted) {
    const sinceMS = performance.now()
    afterMS = await eraseChunk(chat, room, afterMS)
    // Lets sends to the room through.
    await pause(performance.now() - sinceMS)
  }
}

/** Returns the time after which there may be more messages; undefined if there are none. */
async function eraseChunk(chat: Chat, { app, id }: RoomDoc, afterMS: number): Promise<number | undefined> {
  return inTransaction(chat.db, async (session) => {
    const room = await lockRoom(chat.db, app, id, session)
    const range = { afterMS, upToMS: room?.deletedUpToMS ?? 0 }
    const messages = room ? await findThreadMessages(chat.db, room, range, mostAtOneTime, session) : []
    if (!room || messages.length === 0) return undefined
    const updatedAtMS = await takeRoomTime(chat.db, room, session)
    const ids = idsOf(messages)
    await stubMessagesByID(chat.db, ids, updatedAtMS, session)
    return messages.at(-1)?.createdAtMS
  })
}
