import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { findUsesInRooms } from './attached.ts'

/** Transfers a user's files that are attached in these rooms to the integrator, so that they outlive the user. */
export async function disownFiles(db: Db, app: string, owner: string, rooms: readonly string[]): Promise<void> {
  if (rooms.length === 0) return
  const files = db.files.find({ ownerKey: key(app, owner) }).project<{ _id: string; id: string }>({ id: 1 })
  for await (const { _id, id } of files) {
    for await (const uses of findUsesInRooms(db, { app, id }, rooms)) {
      if (uses.length === 0) continue
      await db.files.updateOne({ _id }, { $unset: { owner: 1, ownerKey: 1 } })
      break
    }
  }
}
