import { clock } from '@parley/async/clock'
import type { Filter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { BanDoc, MembershipDoc } from './documents.ts'

/** Whether a member is read-only now. Expired bans have no effect, even while their mark remains. */
export function isBlocked({ blocked, blockedUntilMS = Infinity }: BlockMark): boolean {
  return blocked === true && blockedUntilMS > clock.now()
}
export type BlockMark = Pick<MembershipDoc, 'blocked' | 'blockedUntilMS'>

export function unblocked(): Filter<MembershipDoc> {
  return { $or: [{ blocked: { $exists: false } }, { blockedUntilMS: { $lte: clock.now() } }] }
}

/** Records whether a member is read-only, and until when. A no-op for other users. */
export async function setBlocked(
  db: Db,
  { app, room, user }: { app: string; room: string; user: string },
  blocked: boolean | { untilMS: number },
  session: Session,
): Promise<void> {
  const update = {
    $set: {
      ...(blocked && { blocked: true as const }),
      ...(typeof blocked === 'object' && { blockedUntilMS: blocked.untilMS }),
    },
    $unset: {
      ...(!blocked && { blocked: 1 as const }),
      ...(typeof blocked === 'boolean' && { blockedUntilMS: 1 as const }),
    },
  }
  await db.memberships.updateOne({ _id: key(app, room, user) }, update, { session })
}

/** The marks of joining users who are banned, or blocked by the other user of a direct room, by membership ID. */
export function marksOf(
  banned: readonly Pick<BanDoc, '_id' | 'untilMS'>[],
  blockedByOther: readonly string[],
): Map<string, BlockMark> {
  const marks = new Map<string, BlockMark>(blockedByOther.map((id) => [id, { blocked: true }]))
  for (const { _id, untilMS } of banned) {
    marks.set(_id, { blocked: true, ...(untilMS !== undefined && { blockedUntilMS: untilMS }) })
  }
  return marks
}
