import { marginMS, reachesBack, type StreamState } from '@parley/bus/stream/stream-state'
import type { StreamStateDoc } from '@parley/db/events/documents'
import { findStreamStates, onTheWayMS } from '@parley/db/events/stream-state'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import type { ChangesPosition } from './read-changes.ts'

/**
 * Whether the streams have all of the caller's changes since a position. A stream that replaces a lost one has them
 * once they are republished. Streams without events of the caller and their rooms do not count.
 */
export async function areChangesKept(
  { bus, db }: Pick<Chat, 'bus' | 'db'>,
  { app, user }: UserCaller,
  states: readonly StreamState[],
  { sinceMS, seqs }: ChangesPosition,
): Promise<boolean> {
  const lacking = states.filter((state, index) => !reachesBack(state, { sinceMS, seq: seqs[index] ?? 0 }))
  if (lacking.length === 0) return true
  const known = await findStreamStates(db)
  const lost = lacking.filter((state) => !hasAllAgain(state, known.get(state.name), sinceMS))
  if (lost.length === 0) return true
  // Always so for a single stream, or a time in the future.
  if (lost.length === states.length) return false
  const rooms = await findRoomIdsOfUser(db, app, user)
  const fromMS = sinceMS - marginMS
  const own = [{ app, user }, ...rooms.map((room) => ({ app, room }))].flatMap((to) =>
    bus.streams.streamsOf(to, fromMS),
  )
  const concerned = new Set(own)
  return !lost.some(({ name }) => concerned.has(name))
}

function hasAllAgain(
  { createdAtMS, isWhole, nowMS }: StreamState,
  known: StreamStateDoc | undefined,
  sinceMS: number,
): boolean {
  if (!known?.begins || known.rebuilding || !isWhole || sinceMS > nowMS + marginMS) return false
  return Date.parse(known.created) === createdAtMS && sinceMS - marginMS > known.begins.sinceMS + onTheWayMS
}
