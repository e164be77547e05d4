import type { Result } from '@parley/contracts/operation'
import type { listTokens as operation } from '@parley/contracts/operations/access/tokens'
import type { TokenDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { unknownUser } from '../users/user-errors.ts'
import { activeTokensOf } from './active-tokens.ts'
import type { AuthenticatedUser } from './caller.ts'
import { keyFingerprint } from './key-fingerprint.ts'

/**
 * The active tokens of a user, latest first (docs/reference/users.md#tokens-of-a-user).
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function listTokens(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  app: string,
  user: string,
): Promise<Result<typeof operation>> {
  if (!(await findUser(db, app, user))) throw unknownUser('client_id', user)
  return { data: (await activeTokensOf({ db, issuers }, { app, user })).map((token) => tokenView(token)) }
}

/** The caller's own tokens, with the one of this request marked. */
export async function listMyTokens(
  chat: Pick<Chat, 'db' | 'issuers'>,
  caller: AuthenticatedUser,
): Promise<Result<typeof operation>> {
  const found = await activeTokensOf(chat, caller)
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
