import { clock } from '@parley/async/clock'
import type { Result } from '@parley/contracts/operation'
import type { inspectUser as operation } from '@parley/contracts/operations/admin/clients'
import { findBansOfUser } from '@parley/db/rooms/bans'
import { countRoomsOfUser } from '@parley/db/rooms/rooms-of-users'
import { findBlocksOfUser } from '@parley/db/users/blocks'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { TokenDoc } from '@parley/db/users/documents'
import { findTokensOfUser } from '@parley/db/users/tokens'
import { findUser, findUsers } from '@parley/db/users/users'
import { keyFingerprint } from '../access/list-api-keys.ts'
import { unknownClient } from '../access/revoke-tokens.ts'
import type { Chat } from '../chat.ts'
import { toDeviceView } from '../push/list-devices.ts'
import { listConnections } from '../users/list-connections.ts'
import { toBanView, toBlockView } from '../views/ban.ts'
import { toAdminUserView } from '../views/user.ts'

/** Maximum number of bans, blocks and tokens each. */
const most = 100

/**
 * Everything known about a user except their rooms. Tokens and device tokens are shown as fingerprints.
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function inspectUser(chat: Chat, app: string, id: string): Promise<Result<typeof operation>> {
  const { db } = chat
  const user = await findUser(db, app, id)
  if (!user) throw unknownClient(id)
  const [profile, roomCount, devices, tokens, connections, bans, blocks] = await Promise.all([
    toAdminUserView(db, user),
    countRoomsOfUser(db, app, id),
    findDevicesOfUsers(db, app, [id]),
    findTokensOfUser(db, app, id, most),
    listConnections(chat, app, id),
    findBansOfUser(db, app, id, most),
    findBlocksOfUser(db, app, id, { skip: 0, limit: most }),
  ])
  const users = await findUsers(
    db,
    app,
    blocks.map(({ blockee }) => blockee),
  )
  return {
    profile,
    roomCount,
    devices: devices.map(toDeviceView),
    tokens: tokens.map(toTokenView),
    connections,
    bans: bans.map((ban) => toBanView(ban, user)),
    blocks: blocks.map((block) => toBlockView(block, users.get(block.blockee))),
  }
}

function toTokenView(token: TokenDoc) {
  return {
    fingerprint: keyFingerprint(token.digest),
    createdAt: token.createdAt.toISOString(),
    expirationDate: token.expiresAt.toISOString(),
    ...(token.lastUsedAt && { lastUsedTime: token.lastUsedAt.toISOString() }),
    isInForce: token.expiresAt.getTime() > clock.now(),
  }
}
