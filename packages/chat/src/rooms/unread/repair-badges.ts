import { inParts } from '@parley/async/in-parts'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { pageMembershipIds, repairUnread, verifyUnread, type WrongUnread } from '@parley/db/unread/verify-unread'

const perPage = 200

export interface RepairBadges {
  app: string
  /** Only this user's. */
  client?: string
  /** Without a client: only those of this room. */
  room?: string
  /** Changes nothing. */
  dryRun?: boolean
  /** Called after each page with the members verified so far, and those of the page that were wrong. */
  onProgress?: (verified: number, wrong: readonly WrongUnread[]) => void
}

/**
 * Recounts members' unread messages and corrects wrong counts. Safe beside running services, and to repeat.
 * @returns how many were verified, and how many of them were wrong
 */
export async function repairBadges(
  db: Db,
  { app, client, room, dryRun = false, onProgress }: RepairBadges,
): Promise<{ verified: number; wrong: number }> {
  const total = { verified: 0, wrong: 0 }
  const pages = client === undefined ? pageMembershipIds(db, { app, room }, perPage) : pagesOf(db, app, client)
  for await (const ids of pages) {
    const { verified, wrong } = await verifyUnread(db, ids)
    if (!dryRun) for (const each of wrong) await repairUnread(db, each)
    total.verified += verified
    total.wrong += wrong.length
    onProgress?.(total.verified, wrong)
  }
  return total
}

async function* pagesOf(db: Db, app: string, client: string): AsyncGenerator<string[]> {
  const ids = (await findRoomIdsOfUser(db, app, client)).map((room) => key(app, room, client))
  yield* inParts(ids, perPage)
}
