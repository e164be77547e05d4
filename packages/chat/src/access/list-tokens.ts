import { clock } from '@parley/async/clock'
import type { Result } from '@parley/contracts/operation'
import type { listTokens as operation } from '@parley/contracts/operations/access/tokens'
import { mostTokensOfUser } from '@parley/contracts/resources/user-token'
import type { TokenDoc } from '@parley/db/users/documents'
import { findLivingTokensOfUser } from '@parley/db/users/tokens'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import type { AuthenticatedUser } from './caller.ts'
import { keyFingerprint } from './list-api-keys.ts'
import { unknownClient } from './revoke-tokens.ts'

/**
 * The valid tokens of a user, latest first (docs/reference/users.md#tokens-of-a-user).
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function listTokens(
  { db }: Pick<Chat, 'db'>,
  app: string,
  user: string,
): Promise<Result<typeof operation>> {
  if (!(await findUser(db, app, user))) throw unknownClient(user)
  const found = await findLivingTokensOfUser(db, { app, user }, clock.date(), mostTokensOfUser)
  return { data: found.map((token) => tokenView(token)) }
}

/** The caller's own tokens, with the one of this request marked. */
export async function listMyTokens(
  { db }: Pick<Chat, 'db'>,
  caller: AuthenticatedUser,
): Promise<Result<typeof operation>> {
  const found = await findLivingTokensOfUser(db, caller, clock.date(), mostTokensOfUser)
  return { data: found.map((token) => tokenView(token, { isCurrent: token.digest === caller.tokenDigest })) }
}

/** A token as shown in lists, identified by its fingerprint. */
export function tokenView(
  { digest, device, login, createdAt, expiresAt, lastUsedAt }: TokenDoc,
  more: { isCurrent?: boolean } = {},
) {
  return {
    id: keyFingerprint(digest),
    ...(device !== undefined && { deviceId: device }),
    isOwnLogin: login !== undefined,
    ...(login?.jti !== undefined && { jti: login.jti }),
    createdAt: createdAt.toISOString(),
    expirationDate: expiresAt.toISOString(),
    ...(lastUsedAt && { lastUsedTime: lastUsedAt.toISOString() }),
    ...more,
  }
}
