import type { Db } from '@parley/db/connect'
import { findPlaces, type Place } from '@parley/db/sending/shared-places'
import type { RoomAttempt } from './tail-attempts.ts'

/** Appends that were written, those to shared rooms with the seqs and times that MongoDB gave their messages. */
export async function withPlaces(db: Db, written: readonly RoomAttempt[]): Promise<readonly RoomAttempt[]> {
  const shared = written.flatMap(({ append }) => (append?.isShared ? [append] : []))
  if (shared.length === 0) return written
  const places = await findPlaces(db, shared)
  return written.map((room) => (room.append?.isShared ? atPlaces(room, places) : room))
}

/** The attempt with its messages where they are. */
function atPlaces(room: RoomAttempt, places: ReadonlyMap<string, Place>): RoomAttempt {
  const { outcomes, append } = room
  if (!append) return room
  const messages = append.messages.map(({ message, ...about }) => {
    const place = places.get(message._id)
    if (!place) throw new Error(`message ${message._id} was written and is not there`)
    const { seq, createdAtMS } = place
    return { message: { ...message, seq, createdAtMS, updatedAtMS: createdAtMS }, ...about }
  })
  const placed = new Map(messages.map(({ message }) => [message._id, message]))
  const firstSeq = messages[0]?.message.seq ?? 1
  return {
    ...room,
    outcomes: outcomes.map(([id, outcome]) => {
      const message = placed.get(id)
      return [id, message ? { ...outcome, message, repeated: false } : outcome]
    }),
    append: { ...append, room: { ...append.room, seq: firstSeq - 1 }, messages },
  }
}
