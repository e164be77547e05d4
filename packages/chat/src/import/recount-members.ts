import type { Db } from '@parley/db/connect'
import { findMembershipIds, repairUnread, verifyUnread } from '@parley/db/unread/verify-unread'

const perPage = 200

/**
 * Corrects the unread counts of all members of a room that has grown: also of those who are none in the file, since they
 * had left the old room by then.
 */
export async function recountMembers(db: Db, roomKey: string): Promise<void> {
  for (let skip = 0; ; skip += perPage) {
    const ids = await findMembershipIds(db, roomKey, skip, perPage)
    const { wrong } = await verifyUnread(db, ids)
    for (const each of wrong) await repairUnread(db, each)
    if (ids.length < perPage) return
  }
}
