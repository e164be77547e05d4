import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { mostCountedMessages, type explainBadge as operation } from '@parley/contracts/operations/rooms/unread'
import type { Db } from '@parley/db/connect'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import type { Session } from '@parley/db/transactions/transaction'
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
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../../chat.ts'

type RoomSum = Result<typeof operation>['data'][number]

interface Row {
  membership: MembershipToSum
  room: RoomToSum
  sum: UnreadSum
}

/**
 * The sum behind a user's badge, room by room, the rooms with unread messages first
 * (docs/reference/unread.md#why-a-badge-is-what-it-is), at one snapshot.
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function explainBadge(
  { db }: Chat,
  app: string,
  client: string,
  { verify, skip, limit }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  if (!(await findUser(db, app, client))) throw new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(client)}`)
  return inSnapshot(db, async (session) => {
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
  })
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

/** Counts from the messages as far as `mostCountedMessages` reach. */
async function sumsOf(db: Db, rows: readonly Row[], verify: boolean, session: Session): Promise<RoomSum[]> {
  let budget = mostCountedMessages
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
