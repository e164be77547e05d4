import { ObjectId } from 'mongodb'
import type { Db } from '../connect.ts'
import { insertUnordered } from '../events/pending-events.ts'
import { newId } from '../messages/messages.ts'
import type { RoomDoc } from '../rooms/rooms.ts'
import { eachApart } from './each-apart.ts'
import { noteSendKeys, pullSettled, settleTails } from './settle-tails.ts'
import { findTails, findUnsettledRooms, fromTail, type TailMessage } from './tails.ts'

/** What was sent to a room and is in its tail still. */
type Abandoned = ReturnType<typeof toAbandoned>

/**
 * Settles what was sent before `beforeMS` and is in a tail still: the process that appended it died, or stands still.
 * Nobody knows whether the bus has its events, so they are noted as unpublished: what the bus has already, it takes once.
 * @throws the error of one room when all others are settled
 */
export async function settleAbandoned(db: Db, beforeMS: number, limit: number): Promise<void> {
  const rooms = await findTails(db, await findUnsettledRooms(db, { beforeMS, limit }))
  const abandoned = rooms.map((room) => toAbandoned(room, beforeMS)).filter(({ entries }) => entries.length > 0)
  if (abandoned.length === 0) return
  const { failed, error } = await eachApart(abandoned, (some) => settle(db, some))
  if (failed.length > 0) throw error
}

async function settle(db: Db, abandoned: readonly Abandoned[]): Promise<void> {
  await settleTails(
    db,
    abandoned.map(({ room }) => room),
  )
  await insertUnordered(
    db,
    abandoned.map(({ entries, sinceMS }) => ({
      _id: newId(),
      atMS: sinceMS,
      events: entries.map(({ _id }) => ({ kind: 'message', message: _id, event: 'chat message' })),
    })),
  )
  await noteSendKeys(
    db,
    abandoned.flatMap(({ room, entries }) =>
      entries.flatMap((entry) =>
        entry.sendKey === undefined ? [] : [{ message: fromTail(room, entry), sendKey: entry.sendKey }],
      ),
    ),
  )
  await pullSettled(
    db,
    abandoned.map(({ room, entries }) => ({
      roomKey: room._id,
      ranges: [{ fromSeq: 0, toSeq: entries.at(-1)?.seq ?? 0 }],
    })),
  )
}

function toAbandoned(room: RoomDoc, beforeMS: number) {
  const { tail = [] } = room
  // What stands before it was appended before it.
  const entries = tail.slice(0, tail.findLastIndex((entry) => sentMS(entry) < beforeMS) + 1)
  return { room, entries, sinceMS: Math.min(beforeMS, ...entries.map(sentMS)) }
}

/** When a process sent it, by its own clock, to the second: the time that the message got is that of the room, which may be far ahead. */
function sentMS({ _id, createdAtMS }: TailMessage): number {
  return Math.min(createdAtMS, new ObjectId(_id).getTimestamp().getTime() + 1_000)
}
