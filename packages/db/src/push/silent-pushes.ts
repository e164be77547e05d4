import type { Db } from '../db.ts'
import { key, keyRange } from '../keys.ts'
import type { PushDoc } from './documents.ts'
import { reminderContent } from './pushes.ts'

/** Stores silent pushes, merging each into one that already waits for the device. */
export async function recordSilentPushes(db: Db, pushes: readonly PushDoc[]): Promise<void> {
  if (pushes.length === 0) return
  const updates = pushes.map(({ _id, removes: { rooms = [], threads = [], messages = [] } = {}, ...push }) => ({
    updateOne: {
      filter: { _id },
      update: {
        $setOnInsert: push,
        $addToSet: {
          'removes.rooms': { $each: rooms },
          'removes.threads': { $each: threads },
          'removes.messages': { $each: messages },
        },
      },
      upsert: true,
    },
  }))
  await db.pushes.bulkWrite(updates, { ordered: false })
}

/** Pages through the pushes of a message and of its reminders. */
export async function* pagePushesOf(db: Db, app: string, message: string, perPage: number): AsyncGenerator<PushDoc[]> {
  for (const content of [key(app, message), reminderContent(app, message)]) yield* pagesOf(db, content, perPage)
}

async function* pagesOf(db: Db, content: string, perPage: number): AsyncGenerator<PushDoc[]> {
  for (let { $gt, $lt } = keyRange(content); ; ) {
    const found = await db.pushes.find({ _id: { $gt, $lt } }).sort({ _id: 1 }).limit(perPage).toArray()
    if (found.length > 0) yield found
    const last = found.at(-1)
    if (!last || found.length < perPage) return
    $gt = last._id
  }
}
