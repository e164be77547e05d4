import type { Db } from '../db.ts'
import { keyRange } from '../keys.ts'
import { flushApp } from '../room-buffer/flush.ts'

/** The number of users, rooms and messages that deleting an app would delete. */
export async function countAppDocs(db: Db, app: string): Promise<{ users: number; rooms: number; messages: number }> {
  await flushApp(db, app)
  const [users, rooms, apart, [inBuckets]] = await Promise.all([
    db.users.countDocuments({ _id: keyRange(app) }),
    db.rooms.countDocuments({ app }),
    db.messages.countDocuments({ roomKey: keyRange(app) }, { hint: { roomKey: 1, seq: 1 } }),
    db.messageBuckets
      .aggregate<{ count: number }>([
        { $match: { _id: keyRange(app) } },
        { $group: { _id: null, count: { $sum: { $size: '$messages._id' } } } },
      ])
      .toArray(),
  ])
  return { users, rooms, messages: apart + (inBuckets?.count ?? 0) }
}
