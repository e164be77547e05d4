import type { Db, Session } from '../db.ts'
import { key, ofRoom } from '../keys.ts'
import { currentMarkerIn } from '../rooms/memberships.ts'

/** A message that is deleted for all, or recalled. */
interface DeletedMessage {
  seq: number
  /** Users for whom the message never counted: its sender, and members who deleted it for themselves. */
  except: readonly string[]
}

/**
 * Adds messages that were deleted for all or recalled to the `uncounted` of every member whose marker is before them.
 * One write for all members, plus one per member for whom some messages never counted.
 * @param members the memberships of rooms, or of threads
 */
export async function uncountDeleted(
  members: Db['memberships'],
  { _id: roomKey, deletedUpToSeq = 0 }: { _id: string; deletedUpToSeq?: number },
  messages: readonly DeletedMessage[],
  session: Session,
): Promise<void> {
  const seqs = messages.map(({ seq }) => seq)
  const marker = currentMarkerIn(deletedUpToSeq)
  const update = (of: readonly number[]) => {
    const after = { $size: { $filter: { input: [...of], cond: { $gt: ['$$this', marker.readSeq] } } } }
    return [{ $set: { readSeq: marker.readSeq, uncounted: { $add: [marker.uncounted, after] } } }]
  }
  const notCounted = new Map<string, Set<number>>()
  for (const { seq, except } of messages) {
    for (const user of except) notCounted.set(user, (notCounted.get(user) ?? new Set()).add(seq))
  }
  const others = { ...ofRoom(roomKey), user: { $nin: [...notCounted.keys()] }, readSeq: { $lt: Math.max(...seqs) } }
  await members.updateMany(others, update(seqs), { session })

  const own = [...notCounted].flatMap(([user, never]) => {
    const counted = seqs.filter((seq) => !never.has(seq))
    const filter = { _id: key(roomKey, user), readSeq: { $lt: Math.max(...counted) } }
    return counted.length > 0 ? [{ updateOne: { filter, update: update(counted) } }] : []
  })
  if (own.length > 0) await members.bulkWrite(own, { session, ordered: false })
}
