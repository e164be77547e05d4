import { readInParts } from '@parley/async/in-parts'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { MembershipDoc } from '../rooms/documents.ts'
import { unreadOf } from '../rooms/memberships.ts'
import { inSnapshot } from '../transactions/snapshot.ts'
import { findRoomsToSum, ownInBuffer } from './unread-sums.ts'

/** Memberships per round; bounds memory. */
const perRound = 5_000

type Marker = Pick<MembershipDoc, 'user' | 'roomKey' | 'readSeq' | 'uncounted' | 'flushedSeq'>

/** The total unread messages per user, over all rooms. Reads each membership once, and no messages. */
export async function totalUnreadOf(db: Db, app: string, users: readonly string[]): Promise<Map<string, number>> {
  if (users.length === 0) return new Map()
  return inSnapshot(db, async (session) => {
    const totals = new Map(users.map((user) => [user, 0]))
    const markers = db.memberships
      .find({ userKey: { $in: users.map((user) => key(app, user)) } }, { session })
      .project<Marker>({ _id: 0, user: 1, roomKey: 1, readSeq: 1, uncounted: 1, flushedSeq: 1 })
      .batchSize(perRound)
    for await (const round of readInParts(markers, perRound)) await addUnread(db, round, totals, session)
    return totals
  })
}

async function addUnread(
  db: Db,
  markers: readonly Marker[],
  totals: Map<string, number>,
  session: Session,
): Promise<void> {
  const keys = [...new Set(markers.map(({ roomKey }) => roomKey))]
  const rooms = await findRoomsToSum(db, keys, session)
  for (const marker of markers) {
    const room = rooms.get(marker.roomKey)
    if (!room) continue
    const own = ownInBuffer(marker.user, room)
    totals.set(marker.user, (totals.get(marker.user) ?? 0) + unreadOf(marker, { ...room, own }))
  }
}
