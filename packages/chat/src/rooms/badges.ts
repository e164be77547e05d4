import { inParts } from '@parley/async/in-parts'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { maxCountedMessages, type explainBadge as operation } from '@parley/contracts/operations/rooms/unread'
import type { Db, Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import {
  countParts,
  countUnread,
  findMembershipsToSum,
  findRoomsToSum,
  type MembershipToSum,
  type RoomToSum,
  sumUnread,
  type UnreadSum,
} from '@parley/db/unread/unread-sums'
import { pageMembershipIds, repairUnread, verifyUnread, type WrongUnread } from '@parley/db/unread/verify-unread'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'

type RoomSum = Result<typeof operation>['data'][number]

interface Row {
  membership: MembershipToSum
  room: RoomToSum
  sum: UnreadSum
}

/**
 * Explains a user's badge room by room, at one snapshot, rooms with unread messages first
 * (docs/reference/unread.md#explain-a-badge).
 * @throws ApiError CLIENT_NOT_FOUND, TOO_MANY_REQUESTS
 */
export async function explainBadge(
  { db, limits }: Pick<Chat, 'db' | 'limits'>,
  app: string,
  client: string,
  { verify, skip, limit }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  if (!(await findUser(db, app, client))) throw new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(client)}`)
  // It may count 200,000 messages.
  return limits.queries({ app }, () =>
    inSnapshot(db, async (session) => {
      const rows = await findRows(db, app, client, session)
      const data = await sumsOf(db, rows.slice(skip, skip + limit), verify === 'true', session)
      return {
        client,
        badge: rows.reduce((total, { sum }) => total + sum.unread, 0),
        totalCount: rows.length,
        data,
        ...(verify === 'true' && {
          agrees: data.every(({ agrees }) => agrees !== false),
          notVerified: data.filter(({ agrees }) => agrees === undefined).length,
        }),
      }
    }),
  )
}

async function findRows(db: Db, app: string, client: string, session: Session): Promise<Row[]> {
  const memberships = await findMembershipsToSum(db, app, client, session)
  const keys = memberships.map(({ roomKey }) => roomKey)
  const rooms = await findRoomsToSum(db, keys, session)
  const rows = memberships.flatMap((membership) => {
    const room = rooms.get(membership.roomKey)
    return room ? [{ membership, room, sum: sumUnread(membership, room) }] : []
  })
  return rows.sort((a, b) => b.sum.unread - a.sum.unread || (a.room._id < b.room._id ? -1 : 1))
}

/** Counts from the messages, up to `maxCountedMessages` in total. */
async function sumsOf(db: Db, rows: readonly Row[], verify: boolean, session: Session): Promise<RoomSum[]> {
  let budget = maxCountedMessages
  const sums: RoomSum[] = []
  for (const { membership, room, sum } of rows) {
    const kept = { room: membership.room, ...sum }
    const isCounted = verify || sum.uncounted !== 0
    const cost = isCounted ? sum.seq - sum.readSeq : 0
    if (cost > budget) sums.push(kept)
    else if (!isCounted) sums.push({ ...kept, own: 0, deleted: 0, hidden: 0 })
    else {
      budget -= cost
      sums.push({ ...kept, ...(await counted(db, { membership, room, sum }, verify, session)) })
    }
  }
  return sums
}

async function counted(
  db: Db,
  { membership, room, sum }: Row,
  verify: boolean,
  session: Session,
): Promise<Partial<RoomSum>> {
  if (!verify) return countParts(db, membership, room, session)
  const { unread, ...parts } = await countUnread(db, membership, room, session)
  return { ...parts, countedUnread: unread, agrees: unread === sum.unread }
}

const perPage = 200

interface RepairBadges {
  app: string
  /** Limits the repair to this user. */
  client?: string
  /** Without a client, limits the repair to this room. */
  room?: string
  /** Only reports wrong counts. */
  dryRun?: boolean
  /** Called after each page with the number of members verified so far, and the wrong counts of the page. */
  onProgress?: (verified: number, wrong: readonly WrongUnread[]) => void
}

/** Recounts members' unread messages and corrects wrong counts, beside running services. @returns both numbers */
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
