import type { ClientSession } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'

/** The key by which a direct room is unique for its two users, in either order. */
export function pairKey(app: string, a: string, b: string): string {
  return a < b ? key(app, a, b) : key(app, b, a)
}

/** Lets the pairs of direct rooms that are closed have another, inside the transaction that takes the pair from the rooms. */
export async function freePairs(db: Db, pairs: readonly string[], session: ClientSession): Promise<void> {
  if (pairs.length > 0) await db.directRooms.deleteMany({ _id: { $in: [...pairs] } }, { session })
}
