import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'

/** The unique key of the direct room of two users, in either order. */
export function pairKey(app: string, a: string, b: string): string {
  return a < b ? key(app, a, b) : key(app, b, a)
}

/**
 * Frees the pairs of closed direct rooms for new rooms. Call in the transaction that removes `pair` from those rooms.
 */
export async function freePairs(db: Db, pairs: readonly string[], session: Session): Promise<void> {
  if (pairs.length > 0) await db.directRooms.deleteMany({ _id: { $in: [...pairs] } }, { session })
}
