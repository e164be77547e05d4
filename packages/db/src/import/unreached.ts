import { inParts } from '@parley/async/in-parts'
import type { Filter } from 'mongodb'
import type { Db } from '../db.ts'
import { idsOf } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { threadKey } from '../threads/thread.ts'

/** Only imported messages have IDs below this: their IDs begin with time zero. */
export const firstOfOthers = '00000001'
const perCommand = 500

/** A message beyond the seq of its room or thread. Readers must not see it. */
type Unreached = Pick<MessageDoc, '_id' | 'roomKey' | 'seq'>

/**
 * Removes imported messages beyond the ends of their rooms, left by a killed import: new messages need their seqs. The
 * caller must hold the app's import lease, since another import could still reach them.
 */
export async function removeUnreached(db: Db, roomKeys: readonly string[]): Promise<void> {
  for (const keys of inParts(roomKeys, perCommand)) {
    const unreached = await findUnreached(db, keys)
    await removeUnreachedOfThreads(db, idsOf(unreached), true)
    await remove(db, unreached)
  }
}

async function findUnreached(db: Db, roomKeys: readonly string[]): Promise<Unreached[]> {
  const rooms = await db.rooms.find({ _id: { $in: [...roomKeys] } }, { projection: { seq: 1 } }).toArray()
  const ranges = rooms.map(({ _id: roomKey, seq }) => ({ roomKey, seq: { $gt: seq } }))
  return findImported(db, ranges)
}

/**
 * Removes imported messages beyond the ends of their threads.
 * @param roots IDs of the threads' root messages
 * @param areGone the roots are being removed too, so whole threads are
 */
export async function removeUnreachedOfThreads(db: Db, roots: readonly string[], areGone = false): Promise<void> {
  for (const ids of inParts(roots, perCommand)) {
    const fields = { projection: { app: 1, room: 1, 'thread.seq': 1 } }
    const found = await db.messages.find({ _id: { $in: ids } }, fields).toArray()
    const beyond = found.map(({ _id, app, room, thread }) => ({
      roomKey: threadKey({ app, room }, _id),
      seq: { $gt: areGone ? 0 : (thread?.seq ?? 0) },
    }))
    await remove(db, await findImported(db, beyond))
  }
}

async function findImported(
  db: Db,
  ranges: readonly Pick<Filter<MessageDoc>, 'roomKey' | 'seq'>[],
): Promise<Unreached[]> {
  if (ranges.length === 0) return []
  const _id = { $lt: firstOfOthers }
  return db.messages
    .find({ $or: ranges.map((range) => ({ ...range, _id })) }, { hint: { roomKey: 1, seq: 1 } })
    .project<Unreached>({ roomKey: 1, seq: 1 })
    .toArray()
}

/** Removes messages by ID and seq, since the next import can write the same ID at another seq. */
async function remove(db: Db, unreached: readonly Unreached[]): Promise<void> {
  for (const [roomKey, some] of Map.groupBy(unreached, (message) => message.roomKey)) {
    // A search may already have indexed the removed messages.
    const before = Math.min(...some.map(({ seq }) => seq)) - 1
    await db.searchProgress.updateOne({ _id: roomKey, seq: { $gt: before } }, { $set: { seq: before } })
    for (const part of inParts(some, perCommand)) {
      const ids = { $in: idsOf(part) }
      await db.searchTexts.deleteMany({ _id: ids })
      await db.messages.deleteMany({ _id: ids, roomKey, seq: { $in: part.map(({ seq }) => seq) } })
    }
  }
}
