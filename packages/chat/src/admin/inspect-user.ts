import { clock } from '@parley/async/clock'
import type { Input, Result } from '@parley/contracts/operation'
import type { inspectUser as userOperation } from '@parley/contracts/operations/admin/clients'
import type { inspectRoomsOfUser as roomsOperation } from '@parley/contracts/operations/admin/rooms'
import { findBansOfUser } from '@parley/db/rooms/bans'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findRoomsOfMember } from '@parley/db/rooms/rooms-of-member'
import { countRoomsOfUser } from '@parley/db/rooms/rooms-of-users'
import { findBlocksOfUser } from '@parley/db/users/blocks'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { TokenDoc } from '@parley/db/users/documents'
import { findTokensOfUser } from '@parley/db/users/tokens'
import { findUser, findUsers } from '@parley/db/users/users'
import { keyFingerprint } from '../access/new-token.ts'
import type { Chat } from '../chat.ts'
import { toDeviceView } from '../push/list-devices.ts'
import { listConnections } from '../users/list-connections.ts'
import { unknownUser } from '../users/user-errors.ts'
import { roleOf, toListedRoom } from '../views/admin-room.ts'
import { toBanView, toBlockView } from '../views/ban.ts'
import { toPrefView } from '../views/room.ts'
import { toAdminUserView } from '../views/user.ts'

/** Maximum number of bans, blocks and tokens each. */
const max = 100

/** Everything about a user but their rooms. Tokens are shown as fingerprints. @throws ApiError CLIENT_NOT_FOUND */
export async function inspectUser(chat: Chat, app: string, id: string): Promise<Result<typeof userOperation>> {
  const { db } = chat
  const user = await findUser(db, app, id)
  if (!user) throw unknownUser('client_id', id)
  const [profile, roomCount, devices, tokens, connections, bans, blocks] = await Promise.all([
    toAdminUserView(db, user),
    countRoomsOfUser(db, app, id),
    findDevicesOfUsers(db, app, [id]),
    findTokensOfUser(db, app, id, max),
    listConnections(chat, app, id),
    findBansOfUser(db, app, id, max),
    findBlocksOfUser(db, app, id, { skip: 0, limit: max }),
  ])
  const blocked = blocks.map(({ blockee }) => blockee)
  const users = await findUsers(db, app, blocked)
  return {
    profile,
    roomCount,
    devices: devices.map(toDeviceView),
    tokens: await Promise.all(tokens.map((token) => toTokenView(chat, token))),
    connections,
    bans: bans.map((ban) => toBanView(ban, user)),
    blocks: blocks.map((block) => toBlockView(block, users.get(block.blockee))),
  }
}

async function toTokenView({ issuers }: Chat, token: TokenDoc) {
  return {
    fingerprint: keyFingerprint(token.digest),
    createdAt: token.createdAt.toISOString(),
    expirationDate: token.expiresAt.toISOString(),
    ...(token.lastUsedAt && { lastUsedTime: token.lastUsedAt.toISOString() }),
    isInForce: token.expiresAt.getTime() > clock.now() && (await issuers.isTrusted(token)),
  }
}

/** A user's rooms, latest message first, with exact unread counts. @throws ApiError CLIENT_NOT_FOUND */
export async function inspectRoomsOfUser(
  { db }: Chat,
  app: string,
  user: string,
  { skip, limit }: Input<typeof roomsOperation>['query'],
): Promise<Result<typeof roomsOperation>> {
  if (!(await findUser(db, app, user))) throw unknownUser('client_id', user)
  const all = await findRoomsOfMember(db, app, user)
  const sorted = all.toSorted((a, b) => latest(b) - latest(a))
  const page = sorted.slice(skip, skip + limit)
  const keys = page.map(({ room }) => room._id)
  const rooms = await findRoomsByKey(db, keys)
  const byKey = new Map(rooms.map((room) => [room._id, room]))
  return {
    totalCount: all.length,
    data: page.flatMap(({ room: { _id }, membership, unread }) => {
      const room = byKey.get(_id)
      if (!room) return []
      return [{ ...toListedRoom(room), role: roleOf(room, user), unread, muted: toPrefView(membership).muted }]
    }),
  }
}

const latest = ({ room }: { room: { lastMessageAtMS: number; createdAtMS: number } }) =>
  room.lastMessageAtMS || room.createdAtMS
