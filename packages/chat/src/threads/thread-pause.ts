import type { Db } from '@parley/db/connect'
import type { Pause } from '@parley/db/room-buffer/facts'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import type { Draft } from '../send/new-message.ts'
import { findPauses } from '../send/slow-mode.ts'

/**
 * Slow-mode pauses of thread messages, by membership ID: counted from the last message to the room or to one of its
 * threads. The room must be locked.
 */
export async function findThreadPause(
  db: Db,
  draft: Draft,
  room: RoomDoc,
  { _id, threadSentAtMS = Number.NEGATIVE_INFINITY }: MembershipDoc,
): Promise<Map<string, Pause>> {
  const { slowModeS = 0, owner, managers, buffer = [] } = room
  if (slowModeS === 0) return new Map()
  const sent = buffer.map(({ sender, createdAtMS }) => ({ sender, atMS: createdAtMS }))
  const slow = { everyMS: slowModeS * 1_000, managers, sent, ...(owner !== undefined && { owner }) }
  const inRoom = (await findPauses(db, [draft], [{ ...room, slow }])).get(_id)
  return new Map(inRoom && [[_id, { ...inRoom, lastMS: Math.max(inRoom.lastMS, threadSentAtMS) }]])
}
