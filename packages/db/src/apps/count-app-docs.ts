import type { Db } from '../connect.ts'
import { keyRange } from '../keys.ts'
import { flushApp } from '../room-buffer/flush.ts'

/** How many users, rooms and messages an app has: what its deletion takes. */
export async function countAppDocs(db: Db, app: string): Promise<{ users: number; rooms: number; messages: number }> {
  await flushApp(db, app)
  const [users, rooms, messages] = await Promise.all([
    db.users.countDocuments({ _id: keyRange(app) }),
    db.rooms.countDocuments({ app }),
    db.messages.countDocuments({ roomKey: keyRange(app) }, { hint: { roomKey: 1, seq: 1 } }),
  ])
  return { users, rooms, messages }
}
